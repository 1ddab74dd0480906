#include "hard_references.h"

#include <fardel/format/name.h>

#include <algorithm>

namespace fardel {
namespace {

constexpr std::string_view kOptional = "the game runs without it";
constexpr std::string_view kOtherDefinition = "another script's definition of the shader counts";
constexpr std::string_view kNotDrawn = "nothing here draws the shader";

}  // namespace

HardReferences::HardReferences(std::span<const AssetScan> scans, const ResolveIndex& index, const ResolveGraph& graph,
                               const GameProfile& profile)
    : scans_(scans), index_(index), graph_(graph), profile_(profile), drawn_(index.definitions().size()) {
    for (std::uint32_t asset = 0; asset < scans.size(); ++asset)
        soft_files_.push_back(why_file_is_soft(asset));
}

std::string HardReferences::why_file_is_soft(std::uint32_t asset) const {
    if (const Placement* const placement = index_.misplaced(asset))
        return placement->why;
    if (profile_.soft.empty())
        return {};
    const std::string name = fold_name(index_.name_of(asset));
    const auto soft =
        std::ranges::find_if(profile_.soft, [&](const SoftFiles& one) { return glob_matches(one.files, name); });
    return soft != profile_.soft.end() ? soft->why : std::string();
}

const std::string& HardReferences::name_of(DefinitionIndex definition) const {
    const Definition& one = index_.definitions()[definition];
    return scans_[one.asset].findings.defines[one.number];
}

bool HardReferences::counts(DefinitionIndex definition) const {
    if (!profile_.last_script_defines)
        return true;
    const auto alike = index_.find_definitions(name_of(definition));
    return !alike.empty() && alike.front() == definition;
}

bool HardReferences::is_named_by_code(DefinitionIndex definition) const {
    const std::string folded = fold_name(name_of(definition));
    return profile_.named_by_code.empty() || std::ranges::any_of(profile_.named_by_code, [&](const std::string& glob) {
               return glob_matches(glob, folded);
           });
}

void HardReferences::finish(const std::vector<bool>& in_use) {
    std::vector<bool> seen(graph_.node_count());
    std::vector<Node> order;
    const auto visit = [&](Node node) {
        if (!seen[node])
            order.push_back(node);
        seen[node] = true;
    };
    for (std::uint32_t asset = 0; asset < scans_.size(); ++asset)
        for (const std::uint32_t name : index_.names_of(asset)) {
            if (soft_files_[asset].empty())
                visit(graph_.name(name));
            if (in_use[name])
                visit(graph_.whole(name));
        }
    for (DefinitionIndex definition{}; definition < index_.definitions().end_index(); ++definition)
        if (is_named_by_code(definition) && soft_files_[index_.definitions()[definition].asset].empty())
            visit(graph_.shader(definition));
    for (DefinitionIndex definition{}; definition < index_.definitions().end_index(); ++definition)
        for (const std::uint32_t name : index_.names_of(index_.definitions()[definition].asset))
            edges_.emplace_back(graph_.whole(name), graph_.shader(definition));
    std::ranges::sort(edges_);
    for (std::size_t at = 0; at < order.size(); ++at)
        for (auto edge = std::ranges::lower_bound(edges_, std::pair(order[at], Node(0)));
             edge != edges_.end() && edge->first == order[at]; ++edge)
            visit(edge->second);
    for (DefinitionIndex definition{}; definition < index_.definitions().end_index(); ++definition)
        drawn_[position_of(definition)] = seen[graph_.shader(definition)];
    edges_ = {};
}

std::string HardReferences::why_soft(std::uint32_t asset, const FoundReference& reference) const {
    if (reference.optional)
        return std::string(kOptional);
    if (!soft_files_[asset].empty() || reference.defined_in == kNoDefinition)
        return soft_files_[asset];
    const DefinitionIndex definition = index_.definition_at(asset, reference.defined_in);
    if (!counts(definition))
        return std::string(kOtherDefinition);
    return drawn_[position_of(definition)] ? std::string() : std::string(kNotDrawn);
}

}  // namespace fardel
