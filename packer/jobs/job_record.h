// Converts a job's result to a record of the derived-data cache and back. A record from a cache is hostile.
#pragma once

#include <fardel/cache/cache_record.h>
#include <fardel/packer/processor.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

CacheRecord record_of(const BuildKey& key, const JobResult& result);
// Returns the result without blobs; nothing if the record is not a job's, or not for these outputs (empty: any).
std::optional<JobResult> find_result(const CacheRecord& record, const std::vector<std::string>& outputs);

// The note under a job's first key: the files that the job looked for besides its inputs, once for each state of them
// in which it ran, most recent first. A state applies only if every file has exactly the recorded bytes: nothing is
// computed from other bytes, so whoever gave the record learns no more than whether its guess was right.
struct FoundStates {
    std::vector<std::vector<FoundInput>> states;  // each by path

    // Puts the state first; drops the oldest beyond the limits of count and size.
    void add(const std::vector<FoundInput>& state);
};
std::string encode_found_states(const FoundStates& found);
std::optional<FoundStates> find_found_states(std::string_view notes);

}  // namespace fardel
