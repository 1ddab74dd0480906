#include "asset_storage.h"

#include "block_pipeline.h"
#include "block_section.h"
#include "buckets.h"
#include "plan_check.h"

#include <fardel/format/hash.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kSharedBytesMax = std::size_t{1} << limits::kBlockLog2;
constexpr unsigned kJobsMax = 256;

unsigned jobs_of(const WriteOptions& options) {
    const unsigned wanted = options.jobs != 0 ? options.jobs : std::thread::hardware_concurrency();
    return std::clamp(wanted, 1u, kJobsMax);
}

// An asset while it is read; its errors name it.
class OpenAsset {
public:
    static Result<OpenAsset> open(const PlannedAsset& planned) {
        auto stream = planned.source->open();
        if (!stream)
            return std::move(stream).error().with_context(label_of(planned));
        return OpenAsset(planned, *std::move(stream));
    }

    // Reads until `buffer` holds a whole piece or the asset ends.
    Status read_piece(BlockBuffer& buffer) {
        buffer.clear();
        while (buffer.size_bytes() < piece_bytes()) {
            auto count = stream_->read(buffer.room().first(piece_bytes() - buffer.size_bytes()));
            if (!count)
                return std::move(count).error().with_context(label_of(planned_));
            if (*count == 0)
                break;
            buffer.grow(*count);
        }
        bytes_read_ += buffer.size_bytes();
        if (bytes_read_ > limits::kAssetBytesMax)
            return Error(ErrorCode::limit, label_of(planned_) + ": larger than " + std::to_string(limits::kAssetBytesMax) + " bytes");
        return ok();
    }

    std::uint8_t piece_log2() const noexcept { return planned_.streamed ? limits::kStreamBlockLog2 : limits::kBlockLog2; }
    std::size_t piece_bytes() const noexcept { return std::size_t{1} << piece_log2(); }
    std::uint64_t bytes_read() const noexcept { return bytes_read_; }

private:
    OpenAsset(const PlannedAsset& planned, std::unique_ptr<BlobStream> stream) : planned_(planned), stream_(std::move(stream)) {}

    const PlannedAsset& planned_;
    std::unique_ptr<BlobStream> stream_;
    std::uint64_t bytes_read_ = 0;
};

class AssetStorage {
public:
    AssetStorage(std::span<const PlannedAsset> planned, StagedFile& file, std::uint64_t section_offset,
                 const WriteOptions& options, BlockPipeline& pipeline)
        : planned_(planned), options_(options), pipeline_(pipeline), section_(file, section_offset) {
        content_.asset_of.resize(planned.size());
        known_.reserve(planned.size());
    }

    Status store(std::uint32_t planned);
    Status finish();
    StoredContent take_content() &&;

private:
    // Blocks are counted whether they are written yet or still in the pipeline.
    std::size_t block_count() const noexcept { return section_.count() + pipeline_.size(); }
    Status put(BlockBuffer& raw, bool piece);
    Status write_oldest();
    Status drop_from(std::size_t block);

    Status read(OpenAsset& asset, BlockBuffer& buffer);
    Status read_next(OpenAsset& asset);
    Status store_pieces(std::uint32_t planned, OpenAsset& asset);
    Status store_whole(std::uint32_t planned);
    Status share(std::uint32_t asset);
    Status close_shared();
    bool is_known(std::uint32_t planned, const AssetId& id, std::uint64_t raw_bytes);
    std::uint32_t add(std::uint32_t planned, const AssetId& id, std::uint64_t raw_bytes);
    void report() const;

    const std::span<const PlannedAsset> planned_;
    const WriteOptions& options_;
    BlockPipeline& pipeline_;
    BlockSection section_;
    StoredContent content_;                               // assets in order of discovery
    std::unordered_map<AssetId, std::uint32_t> known_;    // id → position in content_.assets
    std::uint64_t assets_done_ = 0;
    std::uint64_t raw_bytes_read_ = 0;

    BlockBuffer current_;                                 // a piece of the asset being read
    BlockBuffer next_;                                    // and what follows it
    BlockBuffer shared_;                                  // the open shared block, all of one content type,
    std::vector<std::uint32_t> sharing_;                  // and the assets in it
};

Status AssetStorage::store(std::uint32_t planned) {
    if (options_.stop.stop_requested())
        return Error(ErrorCode::cancelled, "asked to stop");
    FARDEL_TRY_ASSIGN(OpenAsset asset, OpenAsset::open(planned_[planned]));
    FARDEL_TRY(read(asset, current_));
    FARDEL_TRY(read_next(asset));
    FARDEL_TRY(next_.size_bytes() != 0 ? store_pieces(planned, asset) : store_whole(planned));
    ++assets_done_;
    return ok();
}

Status AssetStorage::read(OpenAsset& asset, BlockBuffer& buffer) {
    FARDEL_TRY(asset.read_piece(buffer));
    raw_bytes_read_ += buffer.size_bytes();
    return ok();
}

// Only behind a whole piece can there be another.
Status AssetStorage::read_next(OpenAsset& asset) {
    next_.clear();
    return current_.size_bytes() == asset.piece_bytes() ? read(asset, next_) : ok();
}

// An asset of several pieces: its id, and so whether it is new, is known only at its end.
Status AssetStorage::store_pieces(std::uint32_t planned, OpenAsset& asset) {
    const std::size_t first = block_count();
    Hasher hasher;
    while (current_.size_bytes() != 0) {
        hasher.update(current_.bytes());
        FARDEL_TRY(put(current_, true));
        std::swap(current_, next_);
        FARDEL_TRY(read_next(asset));
    }

    const auto id = id_from<AssetId>(hasher.finish());
    if (is_known(planned, id, asset.bytes_read()))
        return drop_from(first);
    content_.assets[add(planned, id, asset.bytes_read())].placement.first_block = static_cast<std::uint32_t>(first);
    return ok();
}

// An asset of one piece, which is in current_.
Status AssetStorage::store_whole(std::uint32_t planned) {
    const auto id = id_from<AssetId>(blake3(current_.bytes()));
    if (is_known(planned, id, current_.size_bytes()))
        return ok();
    const std::uint32_t asset = add(planned, id, current_.size_bytes());
    if (current_.size_bytes() == 0)
        return ok();
    if (current_.size_bytes() <= kSharedBytesMax)
        return share(asset);
    content_.assets[asset].placement.first_block = static_cast<std::uint32_t>(block_count());
    return put(current_, false);
}

Status AssetStorage::share(std::uint32_t asset) {
    const std::span<const std::byte> bytes = current_.bytes();
    const auto content_type = [&](std::uint32_t a) { return content_type_of(planned_[content_.assets[a].planned]); };
    const bool fits = shared_.size_bytes() + bytes.size() <= kSharedBytesMax &&
                      (sharing_.empty() || content_type(sharing_.front()) == content_type(asset));
    if (!fits)
        FARDEL_TRY(close_shared());
    content_.assets[asset].placement.offset = static_cast<std::uint32_t>(shared_.size_bytes());
    std::memcpy(shared_.room().data(), bytes.data(), bytes.size());
    shared_.grow(bytes.size());
    sharing_.push_back(asset);
    return ok();
}

Status AssetStorage::close_shared() {
    if (sharing_.empty())
        return ok();
    for (const std::uint32_t asset : sharing_)
        content_.assets[asset].placement.first_block = static_cast<std::uint32_t>(block_count());
    sharing_.clear();
    return put(shared_, false);
}

bool AssetStorage::is_known(std::uint32_t planned, const AssetId& id, std::uint64_t raw_bytes) {
    const auto it = known_.find(id);
    if (it == known_.end())
        return false;
    content_.asset_of[planned] = it->second;
    content_.duplicate_bytes += raw_bytes;
    return true;
}

std::uint32_t AssetStorage::add(std::uint32_t planned, const AssetId& id, std::uint64_t raw_bytes) {
    const auto asset = static_cast<std::uint32_t>(content_.assets.size());
    const std::uint8_t piece_log2 = planned_[planned].streamed ? limits::kStreamBlockLog2 : limits::kBlockLog2;
    content_.assets.push_back({id, raw_bytes, planned, piece_log2, {}});
    content_.asset_of[planned] = asset;
    content_.raw_bytes += raw_bytes;
    known_.emplace(id, asset);
    return asset;
}

Status AssetStorage::put(BlockBuffer& raw, bool piece) {
    if (block_count() >= limits::kBlocksMax)
        return Error(ErrorCode::limit, "the bundle has more than " + std::to_string(limits::kBlocksMax) + " blocks");
    if (options_.stop.stop_requested())
        return Error(ErrorCode::cancelled, "asked to stop");
    if (pipeline_.full())
        FARDEL_TRY(write_oldest());
    pipeline_.push(raw, piece);
    return ok();
}

Status AssetStorage::write_oldest() {
    FARDEL_TRY_ASSIGN(const EncodedBlock block, pipeline_.pop());
    FARDEL_TRY(section_.append(block));
    report();
    return ok();
}

Status AssetStorage::drop_from(std::size_t block) {
    pipeline_.drop_newest(std::min(pipeline_.size(), block_count() - block));
    return section_.cut_to(block);
}

void AssetStorage::report() const {
    if (options_.progress)
        options_.progress({assets_done_, planned_.size(), raw_bytes_read_, section_.length_bytes()});
}

Status AssetStorage::finish() {
    FARDEL_TRY(close_shared());
    while (pipeline_.size() != 0)
        FARDEL_TRY(write_oldest());
    report();
    return ok();
}

StoredContent AssetStorage::take_content() && {
    content_.blocks_bytes = section_.length_bytes();
    content_.blocks = section_.take_records();
    content_.piece_hashes = section_.take_piece_hashes();
    sort_by_id(content_);
    return std::move(content_);
}

}  // namespace

void sort_by_id(StoredContent& content) {
    struct Place {
        std::uint64_t leading;   // of the id; all that is looked at, as a rule
        std::uint32_t asset;
    };
    std::vector<Place> by_id;
    by_id.reserve(content.assets.size());
    for (const StoredAsset& asset : content.assets)
        by_id.push_back({leading_bits(asset.id), static_cast<std::uint32_t>(by_id.size())});
    std::ranges::sort(by_id, [&](const Place& a, const Place& b) {
        return a.leading != b.leading ? a.leading < b.leading : content.assets[a.asset].id < content.assets[b.asset].id;
    });

    std::vector<StoredAsset> assets;
    assets.reserve(by_id.size());
    std::vector<std::uint32_t> position(by_id.size());
    for (const Place& place : by_id) {
        position[place.asset] = static_cast<std::uint32_t>(assets.size());
        assets.push_back(content.assets[place.asset]);
    }
    content.assets = std::move(assets);
    for (std::uint32_t& asset : content.asset_of)
        asset = position[asset];
}

Result<StoredContent> store_assets(std::span<const PlannedAsset> planned, std::span<const std::uint32_t> order,
                                   StagedFile& file, std::uint64_t section_offset, const WriteOptions& options) {
    FARDEL_TRY_ASSIGN(const std::unique_ptr<BlockPipeline> pipeline, BlockPipeline::start(options.level, jobs_of(options)));
    AssetStorage storage(planned, file, section_offset, options, *pipeline);
    for (const std::uint32_t asset : order)
        FARDEL_TRY(storage.store(asset));
    FARDEL_TRY(storage.finish());
    return std::move(storage).take_content();
}

}  // namespace fardel
