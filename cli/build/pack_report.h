// What `fardel pack` prints: text for people, with long lists cut, and JSON with all of them.
#pragma once

#include "console/console.h"
#include "console/json.h"

#include <fardel/packer/build_outcome.h>

#include <string>

namespace fardel {

// The bundles, one after the other, and what they do not have; without references.
std::string format_bundles(const BuildSummary& summary, const Console& console);
std::string format_report(const BuildSummary& summary, const Console& console);
// Of one bundle, its figures; of several, a list of them under "bundles". References are under "link".
Json json_of(const BuildSummary& summary);

}  // namespace fardel
