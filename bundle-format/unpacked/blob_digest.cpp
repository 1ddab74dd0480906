#include "blob_digest.h"

#include "write/plan_check.h"

#include <fardel/base/parallel.h>
#include <fardel/base/threads.h>
#include <fardel/format/digest_index.h>
#include <fardel/format/hash.h>
#include <fardel/format/limits.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace fardel {
namespace {

constexpr unsigned kHashersMax = 64;

using KnownBlob = std::shared_ptr<const BlobDigest>;

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
        if (out.raw_bytes == size)
            std::ranges::copy(bytes.first(std::min(size, kBlobHeadBytes)), out.head.begin());
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

std::optional<Hash> version_of(const PlannedAsset& planned, const UnpackOptions& options) {
    return options.digests ? planned.source->find_version() : std::nullopt;
}

// nullptr: it has to be read.
KnownBlob find_known(std::span<const PlannedAsset> planned, std::size_t i, const UnpackOptions& options) {
    KnownBlob known = i < options.known.size() ? options.known[i] : nullptr;
    if (const auto version = known ? std::nullopt : version_of(planned[i], options))
        known = options.digests->find(*version);
    return known && known->piece_log2 == piece_log2_of(planned[i]) ? known : nullptr;
}

struct Digested {
    KnownBlobs known;
    Status status;  // of the first that has an error; after it, not all are known
};

Digested digest_all(std::span<const PlannedAsset> planned, const UnpackOptions& options) {
    Digested out{.known = KnownBlobs(planned.size())};
    std::vector<std::size_t> unknown;  // of `planned`
    for (std::size_t i = 0; i < planned.size(); ++i)
        if (!(out.known[i] = find_known(planned, i, options)))
            unknown.push_back(i);
    const auto digest_one = [&](std::size_t i, std::span<std::byte> room) -> Status {
        Result<BlobDigest> found = digest(planned[i], room, options.stop);
        if (!found)
            return std::move(found).error().with_context(label_of(planned[i]));
        out.known[i] = std::make_shared<const BlobDigest>(*std::move(found));
        return ok();
    };
    OrderedWork work(unknown.size());
    run_on_threads(work.useful_workers(worker_count(options.jobs, kHashersMax)), [&] {
        std::vector<std::byte> room(limits::kBlockBytesMax);
        while (const auto at = work.take())
            work.note(*at, digest_one(unknown[*at], room));
    });
    out.status = std::move(work).finish();
    // Not by the threads, which would wait for each other.
    for (const std::size_t i : unknown)
        if (const auto version = out.known[i] ? version_of(planned[i], options) : std::nullopt)
            options.digests->put(*version, out.known[i]);
    return out;
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

KnownBlobs digest_ahead(std::span<const PlannedAsset> assets, const UnpackOptions& options) {
    return digest_all(assets, options).known;
}

Result<KnownBlobs> digest_blobs(std::span<const PlannedAsset> planned, const UnpackOptions& options) {
    Digested digested = digest_all(planned, options);
    FARDEL_TRY(std::move(digested.status));
    return std::move(digested.known);
}

}  // namespace fardel
