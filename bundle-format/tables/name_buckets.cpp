#include <fardel/format/name_buckets.h>

#include <fardel/base/fits.h>
#include <fardel/format/limits.h>

#include <algorithm>
#include <string>

namespace fardel {

Result<NameBucketRecord> NameBucketFill::next() {
    NameBucketRecord bucket;
    while (placed_ < names_.size()) {
        const auto& [hash, name, text] = names_[placed_];
        const std::uint64_t home = home_bucket(hash, homes_);
        if (home > bucket_)
            break;
        if (bucket.used == NameBucketRecord::kSlots) {
            // A look-up waits for memory, not for instructions: a bucket is one cache line, and names that overflow it
            // go to the next one, which is fetched with it.
            bucket.spills = 1;
            if (bucket_ + 1 - home > limits::kNameSpillMax)
                return Error(ErrorCode::limit, "too many names whose hashes lead to bucket " + std::to_string(home) +
                                                   " of the look-up table, and to those before it");
            break;
        }
        bucket.hashes[bucket.used] = static_cast<std::uint32_t>(hash >> 32);
        bucket.texts[bucket.used] = text;
        bucket.names[bucket.used++] = name;
        ++placed_;
    }
    ++bucket_;
    return bucket;
}

Result<std::uint64_t> count_name_buckets(std::span<const HashedName> names) {
    std::uint64_t count = 0;
    for (NameBucketFill fill(names); !fill.at_end(); ++count)
        FARDEL_TRY(fill.next());
    return count;
}

Result<std::vector<NameBucketRecord>> fill_name_buckets(std::span<const HashedName> names) {
    std::vector<NameBucketRecord> buckets;
    buckets.reserve(in_memory(home_buckets(names.size())));
    for (NameBucketFill fill(names); !fill.at_end();) {
        FARDEL_TRY_ASSIGN(const NameBucketRecord bucket, fill.next());
        buckets.push_back(bucket);
    }
    return buckets;
}

std::vector<std::uint32_t> fill_name_filters(std::span<const HashedName> names) {
    std::vector<std::uint32_t> filters(in_memory(filter_words(names.size())));
    for (const HashedName& name : names)
        // In a stack of mounts most look-ups miss: a filter ends them with one read of a table that stays in the cache.
        filters[in_memory(filter_word(name.hash, filters.size()))] |= filter_bits(name.hash);
    return filters;
}

}  // namespace fardel
