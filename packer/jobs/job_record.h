// A job's result as a record of the derived-data cache, and back. What comes back is hostile.
#pragma once

#include <fardel/packer/processor.h>
#include <fardel/store/cache_record.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

CacheRecord record_of(const BuildKey& key, const JobResult& result);
// Without blobs. Nothing: it is none of ours, or not for a job with those outputs (empty: any).
std::optional<JobResult> find_result(const CacheRecord& record, const std::vector<std::string>& outputs);

// Under a job's first key: the sets of paths that it found, the youngest first. The ids of the paths decide which set
// applies now.
struct FoundSets {
    std::vector<std::vector<std::string>> sets;

    void add(std::vector<std::string> paths);  // the oldest go
};
std::string encode_found_sets(const FoundSets& sets);
std::optional<FoundSets> find_found_sets(std::string_view notes);

}  // namespace fardel
