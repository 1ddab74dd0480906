// Converts a job's result to a record of the derived-data cache and back. A record from a cache is hostile.
#pragma once

#include <fardel/packer/processor.h>
#include <fardel/store/cache_record.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

CacheRecord record_of(const BuildKey& key, const JobResult& result);
// Returns the result without blobs; nothing if the record is not a job's, or not for these outputs (empty: any).
std::optional<JobResult> find_result(const CacheRecord& record, const std::vector<std::string>& outputs);

// Stored under a job's first key: the sets of paths that the job found, most recent first. The ids of the files at
// those paths decide which set applies now.
struct FoundSets {
    std::vector<std::vector<std::string>> sets;

    void add(std::vector<std::string> paths);  // drops the oldest sets beyond the limit
};
std::string encode_found_sets(const FoundSets& sets);
std::optional<FoundSets> find_found_sets(std::string_view notes);

}  // namespace fardel
