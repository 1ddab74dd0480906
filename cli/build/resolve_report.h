// The output of `fardel build` and `fardel pack` about the references of a project with [link]: short text for people,
// complete JSON.
#pragma once

#include "console/console.h"
#include "console/json.h"

#include <fardel/packer/build_outcome.h>

#include <string>

namespace fardel {

// Keys: from, line, spelling, use, tried.
Json json_of(const MissingReference& missing);
// Keys: references, resolved, rewritten, missing, broken, idle_patterns.
Json references_json(const ReferenceSummary& references);
std::string format_references(const ReferenceSummary& references, const Console& console);

}  // namespace fardel
