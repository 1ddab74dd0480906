// The report of `fardel verify`: every finding, grouped by bundle and then by severity, and a verdict; as text and as
// JSON.
#pragma once

#include "console/console.h"
#include "console/json.h"

#include <fardel/verifier/verify_set.h>

#include <span>
#include <string>

namespace fardel {

struct VerifyOutcome {
    std::vector<std::string> files;  // as given, one per element of set.bundles
    std::string policy;              // its path; empty: no signature was required
    VerifySetReport set;
};

std::string format_outcome(const VerifyOutcome& outcome, const Console& console);
Json json_of(const VerifyOutcome& outcome);

}  // namespace fardel
