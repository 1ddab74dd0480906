#include "hard_references.h"

#include <fardel/format/name.h>

#include <algorithm>

namespace fardel {
namespace {

constexpr std::string_view kOptional = "the game runs without it";
constexpr std::string_view kOtherDefinition = "another script's definition of the shader counts";
constexpr std::string_view kNotDrawn = "nothing here draws the shader";

}  // namespace

std::string HardReferences::why_file_is_soft(std::uint32_t asset) const {
    if (const Placement* const placement = input_.index.misplaced(asset))
        return placement->why;
    if (input_.profile.soft.empty())
        return {};
    const std::string name = fold_name(input_.index.name_of(asset));
    const auto soft =
        std::ranges::find_if(input_.profile.soft, [&](const SoftFiles& one) { return glob_matches(one.files, name); });
    return soft != input_.profile.soft.end() ? soft->why : std::string();
}

const std::string& HardReferences::name_of(DefinitionIndex definition) const {
    const Definition& one = input_.index.definitions()[definition];
    return input_.scans[one.asset].findings.defines[one.number];
}

bool HardReferences::counts(DefinitionIndex definition) const {
    if (!input_.profile.last_script_defines)
        return true;
    const auto alike = input_.index.find_definitions(name_of(definition));
    return !alike.empty() && alike.front() == definition;
}

bool HardReferences::is_named_by_code(DefinitionIndex definition) const {
    const std::string folded = fold_name(name_of(definition));
    return input_.profile.named_by_code.empty() ||
           std::ranges::any_of(input_.profile.named_by_code,
                               [&](const std::string& glob) { return glob_matches(glob, folded); });
}

HardReferences::HardReferences(const ResolveInput& input, std::vector<ResolveEdge> edges,
                               const std::vector<bool>& is_root, const std::vector<bool>& is_used)
    : input_(input), drawn_(input.index.definitions().size()) {
    const ResolveIndex& index = input.index;
    const ResolveNodes& nodes = input.nodes;
    for (std::uint32_t asset = 0; asset < input.scans.size(); ++asset)
        soft_files_.push_back(why_file_is_soft(asset));
    std::vector<bool> seen(nodes.count());
    std::vector<ResolveNode> order;
    const auto visit = [&](ResolveNode node) {
        if (!seen[node])
            order.push_back(node);
        seen[node] = true;
    };
    for (std::uint32_t asset = 0; asset < input.scans.size(); ++asset)
        for (const std::uint32_t name : index.names_of(asset)) {
            if (soft_files_[asset].empty())
                visit(nodes.name(name));
            if (is_root[name] || is_used[name])
                visit(nodes.whole(name));
        }
    for (DefinitionIndex definition{}; definition < index.definitions().end_index(); ++definition) {
        const std::uint32_t script = index.definitions()[definition].asset;
        if (is_named_by_code(definition) && soft_files_[script].empty())
            visit(nodes.shader(definition));
        for (const std::uint32_t name : index.names_of(script))
            edges.emplace_back(nodes.whole(name), nodes.shader(definition));
    }
    std::ranges::sort(edges);
    for (std::size_t at = 0; at < order.size(); ++at)
        for (auto edge = std::ranges::lower_bound(edges, ResolveEdge(order[at], 0));
             edge != edges.end() && edge->first == order[at]; ++edge)
            visit(edge->second);
    for (DefinitionIndex definition{}; definition < index.definitions().end_index(); ++definition)
        drawn_[position_of(definition)] = seen[nodes.shader(definition)];
}

std::string HardReferences::why_soft(std::uint32_t asset, const FoundReference& reference) const {
    if (reference.optional)
        return std::string(kOptional);
    if (!soft_files_[asset].empty() || reference.defined_in == kNoDefinition)
        return soft_files_[asset];
    const DefinitionIndex definition = input_.index.definition_at(asset, reference.defined_in);
    if (!counts(definition))
        return std::string(kOtherDefinition);
    return drawn_[position_of(definition)] ? std::string() : std::string(kNotDrawn);
}

}  // namespace fardel
