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

// Fills `piece` until it is full or the stream ends.
Result<std::size_t> read_piece(BlobStream& stream, std::span<std::byte> piece) {
    std::size_t size = 0;
    while (size < piece.size()) {
        FARDEL_TRY_ASSIGN(const std::size_t count, stream.read(piece.subspan(size)));
        if (count == 0)
            break;
        size += count;
    }
    return size;
}

Result<BlobDigest> digest(const PlannedAsset& planned, std::span<std::byte> room, const std::stop_token& stop) {
    BlobDigest out;
    out.piece_log2 = planned.streamed ? limits::kStreamBlockLog2 : limits::kBlockLog2;
    const std::span<std::byte> piece = room.first(std::size_t{1} << out.piece_log2);
    FARDEL_TRY_ASSIGN(const auto stream, planned.source->open());
    Hasher hasher;
    for (;;) {
        if (stop.stop_requested())
            return Error(ErrorCode::cancelled, "asked to stop");
        FARDEL_TRY_ASSIGN(const std::size_t size, read_piece(*stream, piece));
        const std::span<const std::byte> bytes = piece.first(size);
        hasher.update(bytes);
        out.raw_bytes += size;
        if (out.raw_bytes > limits::kAssetBytesMax)
            return Error(ErrorCode::limit, "larger than " + std::to_string(limits::kAssetBytesMax) + " bytes");
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

class Digests {
public:
    Digests(std::span<const PlannedAsset> planned, const UnpackOptions& options)
        : planned_(planned), options_(options), found_(planned.size()) {}

    void work() {
        std::vector<std::byte> room(limits::kBlockBytesMax);
        while (!failed_.load(std::memory_order_relaxed)) {
            const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
            if (index >= planned_.size())
                return;
            found_[index] = find(planned_[index], room);
            if (!*found_[index])
                failed_.store(true, std::memory_order_relaxed);
        }
    }

    // Every asset before the first one that failed was begun, so the first error in order does not depend on threads
    // unless assets before it fail too.
    Result<std::vector<BlobDigest>> take() {
        std::vector<BlobDigest> out;
        out.reserve(found_.size());
        for (std::size_t i = 0; i < found_.size(); ++i) {
            if (!*found_[i])
                return std::move(*found_[i]).error().with_context(label_of(planned_[i]));
            out.push_back(std::move(*found_[i]).value());
        }
        return out;
    }

private:
    Result<BlobDigest> find(const PlannedAsset& planned, std::span<std::byte> room) const {
        const auto version = options_.digests ? planned.source->find_version() : std::nullopt;
        if (version)
            if (auto known = options_.digests->find(*version);
                known && known->piece_log2 == (planned.streamed ? limits::kStreamBlockLog2 : limits::kBlockLog2))
                return *std::move(known);
        FARDEL_TRY_ASSIGN(BlobDigest found, digest(planned, room, options_.stop));
        if (version)
            options_.digests->put(*version, found);
        return found;
    }

    std::span<const PlannedAsset> planned_;
    const UnpackOptions& options_;
    std::vector<std::optional<Result<BlobDigest>>> found_;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> failed_{false};
};

}  // namespace

std::optional<BlobDigest> DigestCache::find(const Hash& version) const {
    const std::scoped_lock lock(mutex_);
    const auto at = digests_.find(version);
    return at != digests_.end() ? std::optional(at->second) : std::nullopt;
}

void DigestCache::put(const Hash& version, BlobDigest digest) {
    const std::scoped_lock lock(mutex_);
    if (digests_.size() >= kDigestsMax)
        digests_.clear();
    digests_.insert_or_assign(version, std::move(digest));
}

Result<std::vector<BlobDigest>> digest_blobs(std::span<const PlannedAsset> planned, const UnpackOptions& options) {
    Digests digests(planned, options);
    const unsigned workers = worker_count(options.jobs, kHashersMax);
    run_on_threads(static_cast<unsigned>(std::clamp<std::size_t>(planned.size(), 1, workers)),
                   [&digests] { digests.work(); });
    return digests.take();
}

}  // namespace fardel
