// The references between a project's assets, for `fardel graph --references`: as text, JSON or for Graphviz.
#pragma once

#include "console/json.h"

#include <fardel/packer/pack.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct ReferenceEdge {
    std::string from;      // logical name
    std::string spelling;  // hostile
    std::string_view use;  // "texture"
    std::uint32_t line = 0;
    bool optional = false;
    std::string_view kind;  // "inside", "shader", "dependency", "run_time", "missing"
    std::string to;         // the target's name; for an asset of a dependency its id; empty: missing
};

// Sorted by asset; each asset's references keep their order.
std::vector<ReferenceEdge> reference_edges(const PackPlan& packed);
// Returns the edges on a way to or from that name.
std::vector<ReferenceEdge> edges_around(const std::vector<ReferenceEdge>& edges, std::string_view name);

std::string format_reference_text(const std::vector<ReferenceEdge>& edges, std::string_view project);
Json reference_json(const std::vector<ReferenceEdge>& edges);
// Escapes a text for a label in quotes.
std::string dot_text(std::string_view text);
std::string format_reference_dot(const std::vector<ReferenceEdge>& edges);

}  // namespace fardel
