// The boot file of a cache: a bundle of `fardel cache export`'s form with what one session used, which the next session
// reads at once. It is the user's own file; its bytes are checked as those of any layer.
#pragma once

#include <fardel/base/result.h>
#include <fardel/cache/cache_record.h>
#include <fardel/format/bundle_plan.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace fardel {

class Bundle;

struct BootStart {
    std::shared_ptr<const Bundle> bundle;  // nullptr: a cold start
    std::string problem = {};              // why a file that is there is not used
};
// Reads the whole file into memory.
BootStart read_boot_file(const std::string& path, std::size_t bytes_max);

// What this session has used, bounded in bytes. One thread at a time.
class BootContents {
public:
    explicit BootContents(std::size_t bytes_max) : bytes_max_(bytes_max) {}

    // `number`: when it was asked for. What was asked for first is kept. A key that is there keeps its number.
    void add(std::uint64_t number, CacheRecord record, std::vector<std::shared_ptr<const BlobSource>> outputs);
    // Replaces the file in one step; does nothing if nothing was used, or exactly what `old`, which may be nullptr,
    // has. Leaves out what has been damaged meanwhile. Errors: those of write_bundle().
    Status write(const std::string& path, const std::shared_ptr<const Bundle>& old) const;

private:
    struct Entry {
        CacheRecord record;
        std::vector<std::shared_ptr<const BlobSource>> outputs;
        std::uint64_t bytes = 0;
    };
    void remove(std::uint64_t number);

    std::size_t bytes_max_;
    std::uint64_t bytes_ = 0;
    std::map<BuildKey, std::uint64_t> numbers_;
    std::map<std::uint64_t, Entry> entries_;
};

}  // namespace fardel
