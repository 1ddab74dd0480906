// What `fardel build` and `fardel pack` say about the references of a project with [link]: short for people, whole as
// JSON.
//
// The text is made of the JSON: a build that is up to date has only what the last one kept.
#pragma once

#include "console/console.h"
#include "console/json.h"

#include <fardel/packer/resolve.h>

#include <string>

namespace fardel {

// One missing reference: "maps/a.map:3: texture env/gone".
std::string format_missing(const MissingReference& missing);

// references, resolved, rewritten, missing, broken, idle_patterns.
Json references_json(const ResolveResult& resolved);
// Nothing when `references` is not such JSON.
std::string format_references(const Json& references, const Console& console);

}  // namespace fardel
