// CacheRecord: what a job of the packer gave, found again under the key of everything that went into it.
//
// The outputs themselves are objects under their asset ids; a record only names them. Encoded records carry their own
// key and hash, so one that was cut, changed or filed under another key is refused. They may come from strangers.
#pragma once

#include <fardel/format/ids.h>
#include <fardel/format/result.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fardel {

inline constexpr std::size_t kCacheRecordBytesMax = 4u << 20;
inline constexpr std::size_t kCachedOutputsMax = 65'536;

struct CachedOutput {
    std::string name;  // as the job named it; hostile bytes until AssetName::parse took it
    AssetId asset;
    std::uint64_t size_bytes = 0;

    friend bool operator==(const CachedOutput&, const CachedOutput&) = default;
};

struct CacheRecord {
    BuildKey key;
    std::vector<CachedOutput> outputs;  // in the job's order
    std::string notes;                  // the packer's, of any bytes: found inputs, what the program said

    friend bool operator==(const CacheRecord&, const CacheRecord&) = default;
};

// Error: limit.
Result<std::vector<std::byte>> encode_cache_record(const CacheRecord& record);
// Errors: malformed, corrupt (the bytes are not those that were written), untrusted (another key's record),
// unsupported, limit.
Result<CacheRecord> decode_cache_record(const BuildKey& key, std::span<const std::byte> bytes);

}  // namespace fardel
