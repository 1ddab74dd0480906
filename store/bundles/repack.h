// Repacking: writes what bundles need of a pack into a new one, so that the rest of the pack can be removed.
//
// The old packs stay, and are named by no record afterwards: a collection removes them. docs/retention.md explains why
// this is safe beside readers, writers and collectors, and what a program leaves that is killed.
#pragma once

#include "packs/store_folder.h"
#include "retention/repack_plan.h"

#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace fardel {

// What decides about packs beside their bytes.
struct RepackFacts {
    std::map<BundleId, UnixTime> used;  // when each bundle was used
    std::set<BundleId> leaving;         // bundles that are condemned
    std::set<BundleId> gone;            // that count as removed
    unsigned percent = 0;               // see plan_repack()
};

struct RepackReport {
    std::uint64_t packs = 0;          // that were replaced
    std::uint64_t pack_bytes = 0;     // of these
    std::uint64_t written_bytes = 0;  // of the new ones
    std::vector<std::string> notes;   // what was not written again, and why
};

// Reads all records and returns the plan. As long as a record cannot be read, nobody knows what is needed: nothing is
// planned. Errors: denied, io.
Result<std::vector<RepackGroup>> find_repack_groups(const StoreFolder& folder, const RepackFacts& facts);

// Writes the new packs and replaces the records. What is in use, held by a writer, damaged, or too large for the free
// space is left as it is and noted. Errors: busy, denied, no_space, io; what was replaced before that is complete.
Result<RepackReport> repack(const StoreFolder& folder, const std::vector<RepackGroup>& groups);

}  // namespace fardel
