// HardReferences: decides which references the running game looks up.
//
// A reference is soft if the game runs without it (optional), if only tools read its file, if the file lies where the
// game does not read it, if another definition of its shader counts, or if nothing draws its shader. Add the edges of
// all references that are not optional, then call finish(), then why_soft().
#pragma once

#include "resolve_graph.h"
#include "resolve_index.h"

#include <fardel/packer/game_profile.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fardel {

class HardReferences {
public:
    using Node = ResolveGraph::Node;

    // The arguments outlive this.
    HardReferences(std::span<const AssetScan> scans, const ResolveIndex& index, const ResolveGraph& graph,
                   const GameProfile& profile);

    void add_edge(Node from, Node to) { edges_.emplace_back(from, to); }
    // `in_use`: per name of the plan whether it is a root or used. Every shader of such a script is drawn.
    void finish(const std::vector<bool>& in_use);

    // Why the game does not look up `reference` of the asset; empty: it does.
    std::string why_soft(std::uint32_t asset, const FoundReference& reference) const;

private:
    std::string why_file_is_soft(std::uint32_t asset) const;
    bool counts(DefinitionIndex definition) const;
    bool is_named_by_code(DefinitionIndex definition) const;
    const std::string& name_of(DefinitionIndex definition) const;

    std::span<const AssetScan> scans_;
    const ResolveIndex& index_;
    const ResolveGraph& graph_;
    const GameProfile& profile_;
    std::vector<std::string> soft_files_;  // per asset why_file_is_soft
    std::vector<std::pair<Node, Node>> edges_;
    std::vector<bool> drawn_;  // by position_of a DefinitionIndex
};

}  // namespace fardel
