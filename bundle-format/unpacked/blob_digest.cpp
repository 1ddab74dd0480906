#include "blob_digest.h"

#include "write/plan_check.h"

#include <fardel/base/parallel.h>
#include <fardel/format/hash.h>
#include <fardel/format/limits.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>

namespace fardel {
namespace {

constexpr unsigned kHashersMax = 64;

Result<BlobDigest> digest(const PlannedAsset& planned, std::span<std::byte> room, const std::stop_token& stop) {
    BlobDigest out;
    out.piece_log2 = piece_log2_of(planned);
    const std::span<std::byte> piece = room.first(std::size_t{1} << out.piece_log2);
    FARDEL_TRY_ASSIGN(const auto stream, planned.source->open());
    Hasher hasher;
    for (;;) {
        if (stop.stop_requested())
            return Error(ErrorCode::cancelled, "asked to stop");
        FARDEL_TRY_ASSIGN(const std::size_t size, read_full(*stream, piece));
        const std::span<const std::byte> bytes = piece.first(size);
        out.raw_bytes += size;
        if (out.raw_bytes > limits::kAssetBytesMax)
            return Error(ErrorCode::limit, "larger than " + std::to_string(limits::kAssetBytesMax) + " bytes");
        if (out.head.empty())
            out.head.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(std::min(size, kBlobHeadBytes)));
        // The hash of an only piece is the id.
        if (out.raw_bytes == size && size < piece.size()) {
            out.id = id_from<AssetId>(blake3(bytes));
            return out;
        }
        hasher.update(bytes);
        if (size > 0)
            out.pieces.push_back(blake3(bytes));
        if (size < piece.size())
            break;
    }
    out.id = id_from<AssetId>(hasher.finish());
    if (out.pieces.size() == 1)
        out.pieces.clear();
    return out;
}

Result<BlobDigest> find_or_digest(const PlannedAsset& planned, const UnpackOptions& options,
                                  std::span<std::byte> room) {
    const auto version = options.digests ? planned.source->find_version() : std::nullopt;
    if (version)
        if (const auto known = options.digests->find(*version); known && known->piece_log2 == piece_log2_of(planned))
            return *known;
    FARDEL_TRY_ASSIGN(BlobDigest found, digest(planned, room, options.stop));
    if (version)
        options.digests->put(*version, std::make_shared<const BlobDigest>(found));
    return found;
}

}  // namespace

std::shared_ptr<const BlobDigest> DigestCache::find(const Hash& version) const {
    const std::scoped_lock lock(mutex_);
    const auto at = digests_.find(version);
    return at != digests_.end() ? at->second : nullptr;
}

void DigestCache::put(const Hash& version, std::shared_ptr<const BlobDigest> digest) {
    const std::scoped_lock lock(mutex_);
    if (digests_.size() >= kDigestsMax)
        digests_.clear();
    digests_.insert_or_assign(version, std::move(digest));
}

Result<std::vector<BlobDigest>> digest_blobs(std::span<const PlannedAsset> planned, const UnpackOptions& options) {
    std::vector<std::optional<Result<BlobDigest>>> found(planned.size());
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    const unsigned workers = worker_count(options.jobs, kHashersMax);
    run_on_threads(static_cast<unsigned>(std::clamp<std::size_t>(planned.size(), 1, workers)), [&] {
        std::vector<std::byte> room(limits::kBlockBytesMax);
        while (!failed.load(std::memory_order_relaxed)) {
            const std::size_t index = next.fetch_add(1, std::memory_order_relaxed);
            if (index >= planned.size())
                return;
            found[index] = find_or_digest(planned[index], options, room);
            if (!*found[index])
                failed.store(true, std::memory_order_relaxed);
        }
    });
    // Every asset before the first one that failed was begun, so the first error in order does not depend on threads
    // unless assets before it fail too.
    std::vector<BlobDigest> out;
    out.reserve(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (!*found[i])
            return std::move(*found[i]).error().with_context(label_of(planned[i]));
        out.push_back(std::move(*found[i]).value());
    }
    return out;
}

}  // namespace fardel
