#include "remote/rebuilt_blocks.h"

#include "delta/held_content.h"
#include "fetch/other_bundles.h"

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
    const auto begin = std::ranges::lower_bound(parts_, *index, {}, &BlockPart::block);
    if (begin == parts_.end() || begin->block != *index)
        return std::nullopt;
    bool has_all = true;
    std::optional<std::vector<std::byte>> rebuilt;
    const auto encoded = encode_parts(
        *bundle_, level_, first_block({begin, parts_.end()}),
        [&](const AssetId& asset, const BlockPart& part, std::span<std::byte> out) {
            has_all = has_all && (read_held_part(others_, asset, part, out) || pieces_->read(part, out));
            return has_all;
        },
        {},
        [&](std::uint32_t, std::span<const std::byte> stored) {
            rebuilt.emplace(stored.begin(), stored.end());
            return ok();
        });
    // The bundle was encoded by another version of libzstd, or at another level.
    if (encoded && has_all && !rebuilt && ++failures_ == kEncodingFailuresMax)
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
    const auto count = static_cast<std::uint32_t>(bundle_->table_count(TableKind::blocks));
    FARDEL_TRY_ASSIGN(parts_, block_parts(*bundle_, std::vector<bool>(count, true)));
    FARDEL_TRY_ASSIGN(HeldPieces pieces, HeldPieces::find(*bundle_, parts_, others_, {}));
    pieces_.emplace(std::move(pieces));
    std::vector<bool> held(count);
    bool needs_level = false;
    for (std::uint32_t i = 0; i < count; ++i) {
        FARDEL_TRY_ASSIGN(const BlockRecord block, bundle_->block(i));
        held[i] = target_->holds(bundle_->layout_head().blocks_offset + block.stored_offset, block.stored_bytes);
        needs_level = needs_level || block.codec != Codec::raw;
    }
    FARDEL_TRY_ASSIGN(const auto level, find_level_of_held(*bundle_, held));
    if (needs_level && !level) {
        missed_bytes_ = 0;  // later, when a block is here
        return State::waiting;
    }
    level_ = level.value_or(0);
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
