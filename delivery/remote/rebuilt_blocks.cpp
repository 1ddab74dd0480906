#include "remote/rebuilt_blocks.h"

#include "fetch/other_bundles.h"

#include <fardel/base/fits.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <span>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kRebuildingTablesMax = 16u << 20;  // of larger ones, the parts would need much memory

}  // namespace

std::optional<std::vector<std::byte>> RebuiltBlocks::find(std::uint64_t offset, std::uint32_t stored_bytes) {
    std::unique_lock lock(mutex_);
    if (state_ == State::waiting) {
        missed_bytes_ += stored_bytes;
        // To find a block's assets in other blocks, whole tables are needed, and a game that reads three files needs a
        // few pages. So the tables are read when blocks have cost as much: the bytes that come are at most about twice
        // what they would be.
        if (missed_bytes_ <= tables_bytes_)
            return std::nullopt;
        state_ = State::preparing;
        lock.unlock();
        const State prepared = prepare();
        lock.lock();
        state_ = prepared;
    }
    if (state_ != State::ready)
        return std::nullopt;
    const auto index = index_of(offset);
    if (!index)
        return std::nullopt;
    if (!chosen_[*index])
        return std::nullopt;
    std::optional<std::vector<std::byte>> rebuilt;
    const Status given =
        blocks_->fetch_blocks({&*index, 1}, {.take =
                                                 [&](std::uint32_t, std::span<const std::byte> stored) {
                                                     rebuilt.emplace(stored.begin(), stored.end());
                                                     return ok();
                                                 },
                                             .progress = nullptr});
    // The bundle was encoded by another version of libzstd, or at another level.
    if (given && !rebuilt && ++failures_ == kEncodingFailuresMax)
        state_ = State::given_up;
    return rebuilt;
}

// Without the lock: nobody else looks at what it sets.
RebuiltBlocks::State RebuiltBlocks::prepare() {
    if (tables_bytes_ > kRebuildingTablesMax)
        return State::given_up;
    const auto prepared = read_tables();
    return prepared ? *prepared : State::given_up;
}

Result<RebuiltBlocks::State> RebuiltBlocks::read_tables() {
    FARDEL_TRY_ASSIGN(const BundleStore store, BundleStore::open(elsewhere_.store, false));
    FARDEL_TRY_ASSIGN(bundle_, Bundle::open(target_, {}));
    FARDEL_TRY_ASSIGN(others_, open_other_bundles(store, elsewhere_.library.get(), bundle_->id()));
    if (others_.empty())
        return State::given_up;
    const std::uint64_t blocks_offset = bundle_->layout_head().blocks_offset;
    blocks_.emplace(others_, std::stop_token());
    FARDEL_TRY_ASSIGN(BlockChoice choice,
                      blocks_->choose({.bundle = bundle_,
                                       .holds =
                                           [&](const BlockRecord& block) {
                                               return target_->holds(blocks_offset + block.stored_offset,
                                                                     block.stored_bytes);
                                           },
                                       .level = {}},
                                      std::vector<bool>(in_memory(bundle_->table_count(TableKind::blocks)), true)));
    chosen_ = std::move(choice.given);
    return State::ready;
}

// The records are in the order of the stored bytes.
std::optional<std::uint32_t> RebuiltBlocks::index_of(std::uint64_t offset) const {
    const std::uint64_t wanted = offset - bundle_->layout_head().blocks_offset;
    std::uint32_t low = 0;
    auto high = static_cast<std::uint32_t>(bundle_->table_count(TableKind::blocks));
    while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        const auto block = bundle_->block(middle);
        if (!block)
            return std::nullopt;
        if (block->stored_offset == wanted)
            return middle;
        if (block->stored_offset < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return std::nullopt;
}

}  // namespace fardel
