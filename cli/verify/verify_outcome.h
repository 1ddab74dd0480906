// What `fardel verify` found, and its forms: for people, as JSON, and for programs that show the results of tests.
#pragma once

#include "console/console.h"
#include "console/json.h"
#include "findings/finding_list.h"

#include <fardel/verifier/verify_bundle.h>

#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct VerifyOutcome {
    std::vector<std::string> files;  // as given, one per element of set.bundles
    std::string policy;              // its path; empty: no signature was required
    VerifySetReport set;
    std::string whole;    // where the store or channel is that was verified; empty: the files
    std::string subject;  // "the store", "the channel" or empty
};

// Adds a finding about the whole, by the id of its rule. Its severity is the rule's.
void add_finding(VerifySetReport& set, std::string_view rule, std::string where, const Error& error);

// Of the set and of each bundle in it.
FindingCounts totals_of(const VerifySetReport& set);

// Every finding, grouped by bundle and then by severity, and a verdict.
std::string format_outcome(const VerifyOutcome& outcome, const Console& console);
Json json_of(const VerifyOutcome& outcome);

// One suite per file, and one for all of them together if there are several.
FindingList findings_of(const VerifyOutcome& outcome);

}  // namespace fardel
