// Why a build did what it did, and where two logs of builds differ: as text and JSON.
#pragma once

#include "console/console.h"
#include "console/json.h"

#include <fardel/packer/build.h>
#include <fardel/packer/build_log.h>

#include <string>
#include <string_view>
#include <vector>

namespace fardel {

std::string format_explanation(const BuildOutcome& outcome, const Console& console);
Json json_of(const std::vector<ExplainedJob>& explained);

// "source maps/a.map: 4a1f6f0f0d3c… → 91c02b7be88e…".
std::string format_key_change(const KeyChange& change);

// `first`, `second`: what the logs are called.
std::string format_comparison(const BuildLogComparison& comparison, std::string_view first, std::string_view second);
Json json_of(const BuildLogComparison& comparison);

}  // namespace fardel
