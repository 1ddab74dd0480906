// The output of `fardel audit`, and that of `fardel build` and `fardel pack` about the references of a project with
// [link]: text for people with long lists cut, and complete JSON.
#pragma once

#include "console/console.h"
#include "console/json.h"

#include <fardel/format/bundle_plan.h>
#include <fardel/packer/build.h>
#include <fardel/packer/resolve.h>

#include <string>

namespace fardel {

// Roots, missing references, unused and broken assets.
std::string format_report(const ReferenceAudit& audit, const Console& console);
Json json_of(const ReferenceAudit& audit, const BundlePlan& plan);

// A shorter form. Keys: references, resolved, rewritten, missing, broken, idle_patterns.
std::string format_references(const ReferenceSummary& references, const Console& console);
Json references_json(const ReferenceSummary& references);

}  // namespace fardel
