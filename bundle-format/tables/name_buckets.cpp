#include <fardel/format/name_buckets.h>

#include <fardel/base/fits.h>
#include <fardel/format/limits.h>

#include <algorithm>
#include <string>

namespace fardel {

Result<std::vector<NameBucketRecord>> fill_name_buckets(std::span<const HashedName> names) {
    const std::uint64_t homes = home_buckets(names.size());
    std::vector<NameBucketRecord> buckets(in_memory(homes));
    std::size_t at = 0;
    for (const auto& [hash, name] : names) {
        const std::size_t home = in_memory(home_bucket(hash, homes));
        at = std::max(at, home);  // homes never decrease, so earlier buckets are full
        if (buckets[at].used == NameBucketRecord::kSlots) {
            // A look-up waits for memory, not for instructions: a bucket is one cache line, and names that overflow it
            // go to the next one, which is fetched with it.
            buckets[at].spills = 1;
            if (++at - home > limits::kNameSpillMax)
                return Error(ErrorCode::limit, "too many names whose hashes lead to bucket " + std::to_string(home) +
                                                   " of the look-up table, and to those before it");
            if (at == buckets.size())
                buckets.emplace_back();
        }
        NameBucketRecord& bucket = buckets[at];
        bucket.hashes[bucket.used] = static_cast<std::uint32_t>(hash >> 32);
        bucket.names[bucket.used++] = name;
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
