// DigestIndex: the digests of the files of one folder, on disk, so that the next mount hashes only what changed.
//
// docs/vfs.md gives the bytes. The key is the version of a file (BlobSource::find_version), which its size, times and
// inode determine. The index is only a hint: every byte that is read is compared with the digest, so a wrong index
// makes reads fail and never gives other bytes. It may be deleted at any time.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/hash.h>
#include <fardel/format/unpacked_bundle.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fardel {

struct KnownDigest {
    Hash version;
    std::shared_ptr<const BlobDigest> digest;
    friend bool operator==(const KnownDigest& a, const KnownDigest& b) {
        return a.version == b.version && *a.digest == *b.digest;
    }
};

using DigestIndex = std::vector<KnownDigest>;  // by version, each once

// A larger index is neither written nor read: room for 1,000,000 small files, or for 400 GB in large ones.
inline constexpr std::size_t kDigestIndexBytesMax = 256u << 20;

std::vector<std::byte> encode_digest_index(const DigestIndex& index);
// Errors: corrupt (the checksum differs), malformed, unsupported (another version), limit.
Result<DigestIndex> decode_digest_index(std::span<const std::byte> bytes);

// Digests blobs before the plan is made that needs it: content types come from the heads that digests have, so each
// blob is read once. Those with a version are in `options.digests` then. Of a blob that cannot be read, and of others
// after it, nothing is known: that is an error when the plan is made.
KnownBlobs digest_ahead(std::span<const PlannedAsset> assets, const UnpackOptions& options);

// The index of one folder while it is mounted: read before, written afterwards.
class KeptDigests {
public:
    // Adds what is known about `folder`, a path without links, to `digests`. With an empty `index_folder`, or without
    // an index that can be read, nothing is known.
    KeptDigests(const std::string& index_folder, const std::string& folder, DigestCache& digests);
    // Writes what is known of these versions, in any order, unless the index says exactly this; without a digest, that
    // of `digests`, if it has one. An index that cannot be written is made the next time.
    void write(DigestIndex known, const DigestCache& digests) const;

private:
    std::string path_;     // empty: nothing is kept
    DigestIndex present_;  // what is in the file
};

}  // namespace fardel
