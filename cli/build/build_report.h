// The output of `fardel pack` and `fardel build`: text for people with long lists cut, and complete JSON.
#pragma once

#include "console/console.h"
#include "console/json.h"

#include <fardel/packer/build.h>

#include <string>
#include <string_view>
#include <vector>

namespace fardel {

std::string format_report(const BuildSummary& summary, const Console& console);
// Returns the figures of one bundle, or a list of several under "bundles". References are under "link".
Json json_of(const BuildSummary& summary);

// A line that says why programs of the project run unconfined; nothing if there is no reason.
std::string format_unconfined(std::string_view reason, const Console& console);

// `explain`: also why, as format_explanation() says it.
std::string format_report(const BuildOutcome& outcome, const Console& console, bool explain = false);
Json json_of(const BuildOutcome& outcome);
// The only one, or with targets a list of them under "targets".
Json json_of_targets(const std::vector<BuildOutcome>& outcomes);

}  // namespace fardel
