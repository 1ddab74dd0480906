// Unpacked bundles: a manifest computed at mount time over assets that stay in their blobs; for folders and legacy
// archives that are mounted as they are, for assets in memory, and for objects of a store.
//
// The source has the bytes of the file that write_bundle would write for the plan with every block raw and no
// signature. So Bundle::open accepts it and verifies every byte, as in any bundle: a blob whose bytes differ from the
// hashed ones is corrupt, or conflict if the blob itself detects the change. Blobs are opened when they are read; a
// bounded number of them stays open.
#pragma once

#include <fardel/base/result.h>
#include <fardel/base/threads.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <unordered_map>
#include <vector>

namespace fardel {

inline constexpr std::size_t kBlobHeadBytes = 64;

// The manifest's facts about an asset's bytes.
struct BlobDigest {
    AssetId id;
    std::uint64_t raw_bytes = 0;
    std::uint8_t piece_log2 = 0;
    std::vector<Hash> pieces;  // only for an asset of several pieces
    // Its first bytes, then zeros: its content type is determined from them without opening it.
    std::array<std::byte, kBlobHeadBytes> head{};
    friend bool operator==(const BlobDigest&, const BlobDigest&) = default;

    // The bytes of the head that it has.
    std::span<const std::byte> first_bytes() const noexcept {
        return std::span(head).first(static_cast<std::size_t>(std::min<std::uint64_t>(raw_bytes, kBlobHeadBytes)));
    }
};

// Of blobs, in their order; nullptr: not known.
using KnownBlobs = std::vector<std::shared_ptr<const BlobDigest>>;

// Caches digests by the version of a blob (BlobSource::find_version), so that only changed blobs are read again. Any
// thread.
class DigestCache {
public:
    static constexpr std::size_t kDigestsMax = std::size_t{1} << 20;  // the cache is emptied when it has this many

    std::shared_ptr<const BlobDigest> find(const Hash& version) const;  // nullptr: not known
    void put(const Hash& version, std::shared_ptr<const BlobDigest> digest);

private:
    mutable Mutex mutex_;
    std::unordered_map<Hash, std::shared_ptr<const BlobDigest>> digests_;
};

struct UnpackOptions {
    unsigned jobs = 0;                     // threads that hash; 0: one per core
    std::shared_ptr<DigestCache> digests;  // nullptr: no cache
    KnownBlobs known = {};  // of the plan's assets; those that it does not have are looked up in the cache
    std::stop_token stop;   // asked to stop: cancelled
};

// Reads every blob once, except those whose digests are cached. Errors: those of write_bundle, without no_space. A blob
// that can only be read from its start is read whole into memory when one of its blocks is wanted; if it is larger than
// kStreamedBlobBytesMax, that read fails with limit.
inline constexpr std::uint64_t kStreamedBlobBytesMax = 512ull << 20;
Result<std::shared_ptr<const ByteSource>> make_unpacked_source(const BundlePlan& plan,
                                                               const UnpackOptions& options = {});

}  // namespace fardel
