// CacheRecord: the result of a job of the packer, stored under a hash of everything that the result depends on.
//
// A record only names the outputs; their bytes are objects under their asset ids. An encoded record contains its own
// key and hash, so one that was cut off, changed or stored under another key is refused. Encoded records are untrusted:
// a record may contain a signature, and decoding does not verify it.
#pragma once

#include <fardel/base/result.h>
#include <fardel/cache/cache_layer.h>
#include <fardel/format/ids.h>
#include <fardel/format/signer.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fardel {

inline constexpr std::size_t kCachedOutputsMax = 65'536;

struct CachedOutput {
    std::string name;  // given by the job; untrusted until AssetName::parse accepts it
    AssetId asset;
    std::uint64_t size_bytes = 0;

    friend bool operator==(const CachedOutput&, const CachedOutput&) = default;
};

struct CacheSignature {
    PublicKey key;
    Signature signature;

    friend bool operator==(const CacheSignature&, const CacheSignature&) = default;
};

struct CacheRecord {
    BuildKey key;
    std::vector<CachedOutput> outputs = {};        // in the job's order
    std::string notes = {};                        // any bytes of the packer: found inputs, output of the program
    std::optional<CacheSignature> signature = {};  // of everything else in the record

    friend bool operator==(const CacheRecord&, const CacheRecord&) = default;
};

// Error: limit.
Result<std::vector<std::byte>> encode_cache_record(const CacheRecord& record);
// Errors: malformed, corrupt (the bytes differ from those that were written), untrusted (the record of another key),
// unsupported, limit.
Result<CacheRecord> decode_cache_record(const BuildKey& key, std::span<const std::byte> bytes);

// Signs the record, in place of any signature that it has. Errors: limit, those of the signer.
Status sign_cache_record(CacheRecord& record, Signer& signer);
// Succeeds if one of `signers` has signed the record as it is. Error: untrusted.
Status verify_cache_record(const CacheRecord& record, std::span<const PublicKey> signers);

}  // namespace fardel
