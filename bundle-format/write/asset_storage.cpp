#include "asset_storage.h"

#include "block_section.h"
#include "blocks/block_pipeline.h"
#include "donor_blocks.h"
#include "number_table.h"
#include "plan_check.h"
#include "tables/buckets.h"

#include <fardel/base/executor.h>
#include <fardel/base/parallel.h>
#include <fardel/format/hash.h>
#include <fardel/format/limits.h>
#include <fardel/format/purpose_encoding.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::size_t kSharedBytesMax = std::size_t{1} << limits::kBlockLog2;

Error changed(const PlannedAsset& planned) {
    return Error(ErrorCode::conflict,
                 label_of(planned) + ": its bytes are not those that it is known to have; it was changed meanwhile");
}

Status verify_known(const PlannedAsset& planned, const AssetId& id) {
    return planned.known && planned.known->asset != id ? Status(changed(planned)) : ok();
}

// An asset that is being read; its errors contain its key.
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
        auto count = read_full(*stream_, buffer.room().first(piece_bytes()));
        if (!count)
            return std::move(count).error().with_context(label_of(planned_));
        buffer.grow(*count);
        bytes_read_ += buffer.size_bytes();
        if (bytes_read_ > limits::kAssetBytesMax)
            return Error(ErrorCode::limit,
                         label_of(planned_) + ": larger than " + std::to_string(limits::kAssetBytesMax) + " bytes");
        return ok();
    }

    std::size_t piece_bytes() const noexcept { return std::size_t{1} << piece_log2_of(planned_); }
    std::uint64_t bytes_read() const noexcept { return bytes_read_; }

private:
    OpenAsset(const PlannedAsset& planned, std::unique_ptr<BlobStream> stream)
        : planned_(planned), stream_(std::move(stream)) {}

    const PlannedAsset& planned_;
    std::unique_ptr<BlobStream> stream_;
    std::uint64_t bytes_read_ = 0;
};

class AssetStorage {
public:
    AssetStorage(std::span<const PlannedAsset> planned, StagedFile& file, std::uint64_t section_offset,
                 const BundleWriteOptions& options, DonorBlocks* donor, BlockPipeline& pipeline)
        : planned_(planned), options_(options), donor_(donor), pipeline_(pipeline), section_(file, section_offset) {
        content_.asset_of.resize(planned.size());
        content_.assets.reserve(planned.size());
        known_.reset(planned.size());
    }

    Status store(std::uint32_t planned) {
        if (options_.stop.stop_requested())
            return Error(ErrorCode::cancelled, "asked to stop");
        // Blocks are not shared between ranks, so that what a trace lists first does not bring what it lists last.
        const auto kind = std::pair(planned_[planned].rank, planned_[planned].purpose.value_or(options_.purpose));
        if (kind_ != kind)
            FARDEL_TRY(close_shared());
        kind_ = kind;
        FARDEL_TRY_ASSIGN(const bool copied, copy_known(planned));
        if (copied) {
            ++assets_done_;
            return ok();
        }
        FARDEL_TRY_ASSIGN(OpenAsset asset, OpenAsset::open(planned_[planned]));
        FARDEL_TRY(read(asset, current_));
        // One piece ahead: whether an asset has one piece or several is known only when the second one has been asked
        // for.
        FARDEL_TRY(read_next(asset));
        FARDEL_TRY(next_.size_bytes() != 0 ? store_pieces(planned, asset) : store_whole(planned));
        ++assets_done_;
        return ok();
    }

    Status finish() {
        FARDEL_TRY(close_shared());
        while (pipeline_.size() != 0)
            FARDEL_TRY(write_oldest());
        report();
        return ok();
    }

    StoredContent take_content() && {
        content_.blocks_bytes = section_.length_bytes();
        content_.blocks = section_.take_records();
        content_.piece_hashes = section_.take_piece_hashes();
        content_.block_purposes = std::move(purposes_);
        known_ = {};
        return std::move(content_);
    }

private:
    struct Sharing {
        std::uint32_t asset = 0;
        bool unread = false;  // its bytes are known but not yet in shared_
    };

    // Counts blocks whether they are written or still in the pipeline.
    std::size_t block_count() const noexcept { return section_.count() + pipeline_.size(); }

    Status read(OpenAsset& asset, BlockBuffer& buffer) {
        FARDEL_TRY(asset.read_piece(buffer));
        raw_bytes_read_ += buffer.size_bytes();
        return ok();
    }

    // Another piece can follow only a whole piece.
    Status read_next(OpenAsset& asset) {
        next_.clear();
        return current_.size_bytes() == asset.piece_bytes() ? read(asset, next_) : ok();
    }

    // Stores an asset of several pieces. Its id, and so whether it is new, is known only at its end.
    Status store_pieces(std::uint32_t planned, OpenAsset& asset) {
        const std::size_t first = block_count();
        Hasher hasher;
        while (current_.size_bytes() != 0) {
            hasher.update(current_.bytes());
            FARDEL_TRY(put(current_, true));
            std::swap(current_, next_);
            FARDEL_TRY(read_next(asset));
        }

        const auto id = id_from<AssetId>(hasher.finish());
        FARDEL_TRY(verify_known(planned_[planned], id));
        // Equal bytes were stored before: the blocks that were just made are taken back.
        if (is_known(planned, id, asset.bytes_read()))
            return drop_from(first);
        content_.assets[add(planned, id, asset.bytes_read())].placement.first_block = static_cast<std::uint32_t>(first);
        return ok();
    }

    // Stores an asset of one piece, which is in current_.
    Status store_whole(std::uint32_t planned) {
        const auto id = id_from<AssetId>(blake3(current_.bytes()));
        FARDEL_TRY(verify_known(planned_[planned], id));
        if (is_known(planned, id, current_.size_bytes()))
            return ok();
        const std::uint32_t asset = add(planned, id, current_.size_bytes());
        if (current_.size_bytes() == 0)
            return ok();
        if (current_.size_bytes() <= kSharedBytesMax)
            return share(asset);
        content_.assets[asset].placement.first_block = static_cast<std::uint32_t>(block_count());
        const auto copy = find_copy({&id, 1});
        return copy ? put_copied(*copy) : put(current_, false);
    }

    // ---- Shared blocks ----------------------------------------------------------------------------------------------

    // Adds the asset to the open block, or to a new one.
    Status begin_shared(std::uint32_t asset) {
        const auto content_type = [&](std::uint32_t a) {
            return content_type_of(planned_[content_.assets[a].planned]);
        };
        const std::uint64_t size = content_.assets[asset].raw_bytes;
        const bool fits = shared_.size_bytes() + size <= kSharedBytesMax &&
                          (sharing_.empty() || content_type(sharing_.front().asset) == content_type(asset));
        if (!fits)
            FARDEL_TRY(close_shared());
        content_.assets[asset].placement.offset = static_cast<std::uint32_t>(shared_.size_bytes());
        shared_.grow(static_cast<std::size_t>(size));
        return ok();
    }

    Status share(std::uint32_t asset) {
        FARDEL_TRY(begin_shared(asset));
        const std::span<const std::byte> bytes = current_.bytes();
        std::memcpy(shared_.part(content_.assets[asset].placement.offset, bytes.size()).data(), bytes.data(),
                    bytes.size());
        sharing_.push_back({.asset = asset, .unread = false});
        return ok();
    }

    // Reads the bytes that were not needed so far.
    Status read_shared() {
        for (const Sharing& sharing : sharing_) {
            if (!sharing.unread)
                continue;
            const StoredAsset& stored = content_.assets[sharing.asset];
            const PlannedAsset& planned = planned_[stored.planned];
            FARDEL_TRY_ASSIGN(OpenAsset asset, OpenAsset::open(planned));
            FARDEL_TRY(read(asset, current_));
            FARDEL_TRY(read_next(asset));
            // The id was believed because of the file's stamp; now that the bytes are read, they decide.
            if (next_.size_bytes() != 0 || current_.size_bytes() != stored.raw_bytes ||
                id_from<AssetId>(blake3(current_.bytes())) != stored.id)
                return changed(planned);
            std::memcpy(shared_.part(stored.placement.offset, current_.size_bytes()).data(), current_.bytes().data(),
                        current_.size_bytes());
        }
        return ok();
    }

    Status close_shared() {
        if (sharing_.empty())
            return ok();
        std::vector<AssetId> ids;
        for (const Sharing& sharing : sharing_) {
            content_.assets[sharing.asset].placement.first_block = static_cast<std::uint32_t>(block_count());
            ids.push_back(content_.assets[sharing.asset].id);
        }
        // The donor has a block of exactly these assets, in this order. Encoding is nearly all of a build's time, and
        // the copy has the bytes that encoding would give, because the donor was written by the same encoder at the
        // same level.
        if (const auto copy = find_copy(ids)) {
            FARDEL_TRY(put_copied(*copy));
            shared_.clear();
        } else {
            FARDEL_TRY(read_shared());
            FARDEL_TRY(put(shared_, false));
        }
        sharing_.clear();
        return ok();
    }

    // ---- Blocks of the donor ----------------------------------------------------------------------------------------

    // A block that cannot be read from the donor is encoded again.
    std::optional<EncodedBlock> find_copy(std::span<const AssetId> assets) {
        if (!donor_)
            return std::nullopt;
        const auto block = donor_->find_block(assets, kind_.second);
        if (!block)
            return std::nullopt;
        auto copy = donor_->read_block(*block);
        return copy ? std::optional(*copy) : std::nullopt;
    }

    // Returns false if the asset has to be read.
    Result<bool> copy_known(std::uint32_t planned) {
        const auto& known = planned_[planned].known;
        // Without a donor each asset is read anyway, and then its id is computed and not believed.
        if (!known || !donor_)
            return false;
        if (is_known(planned, known->asset, known->size_bytes))
            return true;
        if (known->size_bytes > std::uint64_t{1} << piece_log2_of(planned_[planned]))
            return copy_pieces(planned, *known);
        if (known->size_bytes == 0)
            return false;
        if (known->size_bytes > kSharedBytesMax)
            return copy_whole(planned, *known);
        // Its place in the shared block is reserved; its bytes are read only if the donor has no such block.
        const std::uint32_t asset = add(planned, known->asset, known->size_bytes);
        FARDEL_TRY(begin_shared(asset));
        sharing_.push_back({.asset = asset, .unread = true});
        return true;
    }

    // An asset of one piece in a block of its own.
    Result<bool> copy_whole(std::uint32_t planned, const PlannedAsset::Known& known) {
        const auto copy = find_copy({&known.asset, 1});
        if (!copy || copy->raw_bytes != known.size_bytes)
            return false;
        content_.assets[add(planned, known.asset, known.size_bytes)].placement.first_block =
            static_cast<std::uint32_t>(block_count());
        FARDEL_TRY(put_copied(*copy));
        return true;
    }

    Result<bool> copy_pieces(std::uint32_t planned, const PlannedAsset::Known& known) {
        const std::uint8_t piece_log2 = piece_log2_of(planned_[planned]);
        const auto pieces = donor_->find_pieces(known.asset, piece_log2, kind_.second);
        // A donor whose record has another number of pieces is damaged, and its pieces are of no use.
        if (!pieces || pieces->count != ((known.size_bytes - 1) >> piece_log2) + 1)
            return false;
        const std::size_t first = block_count();
        for (std::uint32_t i = 0; i < pieces->count; ++i) {
            const auto block = donor_->read_piece(*pieces, i);
            if (!block) {
                FARDEL_TRY(drop_from(first));
                content_.copied_blocks -= i;
                return false;
            }
            FARDEL_TRY(put_copied(*block));
        }
        content_.assets[add(planned, known.asset, known.size_bytes)].placement.first_block =
            static_cast<std::uint32_t>(first);
        return true;
    }

    bool is_known(std::uint32_t planned, const AssetId& id, std::uint64_t raw_bytes) {
        const std::uint32_t asset =
            known_.find(leading_bits(id), [&](std::uint32_t one) { return content_.assets[one].id == id; });
        if (asset == NumberTable::kNone)
            return false;
        content_.asset_of[planned] = asset;
        content_.duplicate_bytes += raw_bytes;
        return true;
    }

    std::uint32_t add(std::uint32_t planned, const AssetId& id, std::uint64_t raw_bytes) {
        const auto asset = static_cast<std::uint32_t>(content_.assets.size());
        content_.assets.push_back({id, raw_bytes, planned, piece_log2_of(planned_[planned]), {}});
        content_.asset_of[planned] = asset;
        content_.raw_bytes += raw_bytes;
        known_.insert(leading_bits(id), asset);
        return asset;
    }

    Status put(BlockBuffer& raw, bool piece) {
        FARDEL_TRY(make_room());
        pipeline_.push(raw, piece, encoding_for(kind_.second, options_.level));
        purposes_.push_back(kind_.second);
        return ok();
    }

    Status put_copied(const EncodedBlock& block) {
        FARDEL_TRY(make_room());
        ++content_.copied_blocks;
        purposes_.push_back(kind_.second);
        if (pipeline_.size() == 0) {
            FARDEL_TRY(section_.append(block));
            report();
        } else {
            pipeline_.push_encoded(block);
        }
        return ok();
    }

    Status make_room() {
        if (block_count() >= limits::kBlocksMax)
            return Error(ErrorCode::limit,
                         "the bundle has more than " + std::to_string(limits::kBlocksMax) + " blocks");
        if (options_.stop.stop_requested())
            return Error(ErrorCode::cancelled, "asked to stop");
        // Blocks leave in the order in which they entered, however many threads encode: the bytes do not depend on
        // threads.
        return pipeline_.full() ? write_oldest() : ok();
    }

    Status write_oldest() {
        FARDEL_TRY_ASSIGN(const EncodedBlock block, pipeline_.pop());
        FARDEL_TRY(section_.append(block));
        report();
        return ok();
    }

    Status drop_from(std::size_t block) {
        // The newest blocks may still be in the pipeline; older ones were written and are cut off the file.
        pipeline_.drop_newest(std::min(pipeline_.size(), block_count() - block));
        purposes_.resize(block);
        return section_.cut_to(block);
    }

    void report() const {
        if (options_.progress)
            options_.progress({assets_done_, planned_.size(), raw_bytes_read_, section_.length_bytes()});
    }

    const std::span<const PlannedAsset> planned_;
    const BundleWriteOptions& options_;
    DonorBlocks* const donor_;  // nullptr: none
    BlockPipeline& pipeline_;
    BlockSection section_;
    std::vector<BundlePurpose> purposes_;  // of all blocks, written or in the pipeline
    StoredContent content_;
    NumberTable known_;  // positions in content_.assets, by id
    std::uint64_t assets_done_ = 0;
    std::uint64_t raw_bytes_read_ = 0;

    BlockBuffer current_;  // a piece of the asset being read
    BlockBuffer next_;     // and the piece after it
    BlockBuffer shared_;   // the open shared block, all of one content type;
    // The rank and the purpose of the latest asset: blocks are shared within both.
    std::pair<std::optional<std::uint32_t>, BundlePurpose> kind_;
    std::vector<Sharing> sharing_;  // and the assets in it
};

}  // namespace

void sort_by_id(StoredContent& content) {
    struct AssetById {
        std::uint64_t leading;  // of the id; usually the only bits that are compared
        std::uint32_t asset;
    };
    std::vector<AssetById> by_id;
    by_id.reserve(content.assets.size());
    for (const StoredAsset& asset : content.assets)
        by_id.push_back({leading_bits(asset.id), static_cast<std::uint32_t>(by_id.size())});
    std::ranges::sort(by_id, [&](const AssetById& a, const AssetById& b) {
        return a.leading != b.leading ? a.leading < b.leading : content.assets[a.asset].id < content.assets[b.asset].id;
    });

    std::vector<std::uint32_t> position(by_id.size());  // of each asset, once it is sorted
    for (std::uint32_t i = 0; i < by_id.size(); ++i)
        position[by_id[i].asset] = i;
    for (std::uint32_t& asset : content.asset_of)
        asset = position[asset];
    // Without a second list of them: each swap takes one asset to its position.
    for (std::uint32_t i = 0; i < position.size(); ++i)
        while (position[i] != i) {
            const std::uint32_t to = position[i];
            std::swap(content.assets[i], content.assets[to]);
            std::swap(position[i], position[to]);
        }
}

bool adopt_first(StoredContent& content, std::span<const PlannedAsset> planned, std::span<const std::uint32_t> order) {
    std::vector<bool> adopted(content.assets.size());
    for (const std::uint32_t first : order) {
        const std::uint32_t position = content.asset_of[first];
        if (adopted[position])
            continue;
        adopted[position] = true;
        StoredAsset& asset = content.assets[position];
        const std::uint8_t piece_log2 = piece_log2_of(planned[first]);
        // Type and piece size are in the manifest and so in the bundle id: they come from the usual order, whatever
        // order a trace gave. An asset that was cut differently has to be stored again
        // (docs/decisions/0047-the-order-of-a-trace-is-layout.md).
        if (piece_log2 != asset.piece_log2 && asset.raw_bytes >> std::min(piece_log2, asset.piece_log2) != 0)
            return false;
        asset.planned = first;
        asset.piece_log2 = piece_log2;
    }
    return true;
}

Result<StoredContent> store_assets(std::span<const PlannedAsset> planned, std::span<const std::uint32_t> order,
                                   StagedFile& file, std::uint64_t section_offset, const BundleWriteOptions& options) {
    FARDEL_TRY_ASSIGN(const std::unique_ptr<BlockPipeline> pipeline, BlockPipeline::start(worker_count(options.jobs)));
    std::optional<DonorBlocks> donor;
    if (options.donor.bundle) {
        FARDEL_TRY_ASSIGN(donor, DonorBlocks::open(options.donor, options.purpose,
                                                   worker_count(options.jobs) > 1 ? start_executor(1) : nullptr));
    }
    AssetStorage storage(planned, file, section_offset, options, donor ? &*donor : nullptr, *pipeline);
    for (const std::uint32_t asset : order)
        FARDEL_TRY(storage.store(asset));
    FARDEL_TRY(storage.finish());
    return std::move(storage).take_content();
}

}  // namespace fardel
