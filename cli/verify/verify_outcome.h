// What `fardel verify` found, and its forms: for people, as JSON, and for programs that show the results of tests.
#pragma once

#include "console/console.h"
#include "console/json.h"
#include "findings/finding_list.h"

#include <fardel/format/ids.h>
#include <fardel/verifier/verify_bundle.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct ProvenanceSigner {
    std::string label;  // in the policy; empty: it does not list the key, or there is none
    PublicKey key;
};

// A project that was built again.
struct RebuildOutcome {
    std::string project;
    std::uint64_t jobs = 0;
    std::uint64_t jobs_run = 0;  // of those; caches of the project had the results of the others
    std::size_t compared = 0;    // bundles of the command line
    std::size_t same = 0;        // of those
};

// What holds of a provenance file; what does not is among the findings of the set.
struct ProvenanceOutcome {
    std::string file;
    std::size_t signatures = 0;
    std::vector<ProvenanceSigner> signers;  // whose signatures are right
    std::size_t bundles = 0;                // that it is about
    std::size_t read = 0;                   // sources, programs and other files from which they were built
    std::size_t jobs = 0;
    std::optional<RebuildOutcome> rebuilt;
};

struct VerifyOutcome {
    std::vector<std::string> files;  // as given, one per element of set.bundles
    std::string policy;              // its path; empty: no signature was required
    VerifySetReport set;
    std::string whole;    // where the store or channel is that was verified; empty: the files
    std::string subject;  // "the store", "the channel" or empty
    std::optional<ProvenanceOutcome> provenance = {};
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
