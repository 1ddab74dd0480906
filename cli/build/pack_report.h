// The output of `fardel pack`: text for people with long lists cut, and complete JSON.
#pragma once

#include "console/console.h"
#include "console/json.h"

#include <fardel/packer/build_outcome.h>

#include <string>

namespace fardel {

// Lists the bundles, one after the other, and the entries that they do not contain; without references.
std::string format_bundles(const BuildSummary& summary, const Console& console);
std::string format_report(const BuildSummary& summary, const Console& console);
// Returns the figures of one bundle, or a list of several under "bundles". References are under "link".
Json json_of(const BuildSummary& summary);

}  // namespace fardel
