// HardReferences: decides which references the running game looks up.
//
// A reference is soft if the game runs without it (optional), if only tools read its file, if the file lies where the
// game does not read it, if another definition of its shader counts, or if nothing draws its shader.
#pragma once

#include "linked_references.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fardel {

class HardReferences {
public:
    // `edges`: of all references that are not optional. `is_root`, `is_used`: per name of the plan; every shader of
    // such a script is drawn. What `input` refers to outlives this.
    HardReferences(const ResolveInput& input, std::vector<ResolveEdge> edges, const std::vector<bool>& is_root,
                   const std::vector<bool>& is_used);

    // Why the game does not read the asset; empty: it does.
    const std::string& why_file_soft(std::uint32_t asset) const { return soft_files_[asset]; }
    // Why the game does not look up `reference` of the asset; empty: it does.
    std::string why_soft(std::uint32_t asset, const FoundReference& reference) const;

private:
    std::string why_file_is_soft(std::uint32_t asset) const;
    bool counts(DefinitionIndex definition) const;
    bool is_named_by_code(DefinitionIndex definition) const;
    const std::string& name_of(DefinitionIndex definition) const;

    ResolveInput input_;
    std::vector<std::string> soft_files_;  // per asset why_file_is_soft
    std::vector<bool> drawn_;              // by position_of a DefinitionIndex
};

}  // namespace fardel
