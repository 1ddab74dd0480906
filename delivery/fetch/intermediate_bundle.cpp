#include "fetch/intermediate_bundle.h"

#include "transfer/single_range.h"
#include "transfer/tree_urls.h"

#include <fardel/delivery/raw_block.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/hash.h>
#include <fardel/format/head.h>
#include <fardel/format/limits.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

// Under which a block is kept that came as a range.
std::string block_key(const Hash& stored_hash) { return "block " + stored_hash.hex(); }

}  // namespace

// ---- Opening --------------------------------------------------------------------------------------------------------

IntermediateBundle::IntermediateBundle(const DeltaContext& context, std::unique_ptr<DeltaFetch> delta)
    : context_(context), delta_(std::move(delta)) {}

Result<std::unique_ptr<IntermediateBundle>> IntermediateBundle::open_part(const DeltaContext& context,
                                                                          const std::shared_ptr<const Bundle>& part) {
    std::unique_ptr<IntermediateBundle> made(new IntermediateBundle(context, nullptr));
    FARDEL_TRY_ASSIGN(made->file_,
                      ScatteredFile::create(context.fetch.store.path(), part->source()->size_bytes(), part->source()));
    FARDEL_TRY(made->open_bundle());
    return made;
}

// It is not fetched like any other bundle and deleted afterwards: most of it is not needed, a fetch of it by somebody
// else would be in the way, and what a hostile list names would enter the store.
Result<std::unique_ptr<IntermediateBundle>> IntermediateBundle::open(const DeltaContext& context,
                                                                     std::span<const DeltaStep> path,
                                                                     const std::shared_ptr<const Bundle>& held,
                                                                     std::uint64_t tables_bytes_max) {
    std::unique_ptr<IntermediateBundle> made(new IntermediateBundle(
        context, std::make_unique<DeltaFetch>(context, path.back().bundle, DeltaGoal::intermediate)));
    std::shared_ptr<ScatteredFile>& file = made->file_;
    const TablesPlace place{
        .set_file_bytes = [&](std::uint64_t file_bytes) -> Status {
            FARDEL_TRY_ASSIGN(file, ScatteredFile::create(context.fetch.store.path(), file_bytes, nullptr));
            return ok();
        },
        .write = [&](std::uint64_t offset, std::span<const std::byte> bytes) { return file->write(offset, bytes); }};
    FARDEL_TRY_ASSIGN(const bool given, made->delta_->fetch_along(path, held, &place, tables_bytes_max));
    if (!given)
        return Error(ErrorCode::limit, "the tables of an intermediate bundle are too large");
    FARDEL_TRY(made->open_bundle());
    return made;
}

Status IntermediateBundle::open_bundle() {
    FARDEL_TRY_ASSIGN(bundle_, Bundle::open(file_, {}));
    FARDEL_TRY(bundle_->verify_tables());
    // Refuses blocks that overlap, because they would be written over each other.
    FARDEL_TRY(block_records(*bundle_));
    return take_kept_blocks();
}

Status IntermediateBundle::take_kept_blocks() {
    for (std::uint32_t i = 0; i < bundle_->table_count(TableKind::blocks); ++i) {
        FARDEL_TRY_ASSIGN(const BlockRecord block, bundle_->block(i));
        FARDEL_TRY_ASSIGN(const auto kept, context_.incoming.read_extra(block_key(block.stored_hash)));
        if (kept && kept->size() == block.stored_bytes)
            FARDEL_TRY(write_block(i, *kept));
    }
    return ok();
}

// ---- Blocks ---------------------------------------------------------------------------------------------------------

bool IntermediateBundle::holds_block(const BlockRecord& block) const {
    return file_->holds(bundle_->layout_head().blocks_offset + block.stored_offset, block.stored_bytes);
}

Status IntermediateBundle::write_block(std::uint32_t index, std::span<const std::byte> stored) {
    FARDEL_TRY_ASSIGN(const BlockRecord block, bundle_->block(index));
    return file_->write(bundle_->layout_head().blocks_offset + block.stored_offset, stored);
}

Result<BlockChoice> IntermediateBundle::choose(const std::vector<bool>& needed, bool encodes) {
    std::vector<bool> missing(needed.size(), false);
    std::uint64_t missing_bytes = 0;
    for (std::uint32_t i = 0; i < needed.size(); ++i) {
        if (!needed[i])
            continue;
        FARDEL_TRY_ASSIGN(const BlockRecord block, bundle_->block(i));
        missing[i] = !holds_block(block);
        missing_bytes += missing[i] ? block.stored_bytes : 0;
    }
    BlockChoice choice{.given = std::vector<bool>(needed.size(), false)};
    if (delta_) {
        FARDEL_TRY_ASSIGN(choice, delta_->choose_blocks(bundle_, missing, encodes));
    }
    std::vector<FetchUnit> units;
    for (std::uint32_t i = 0; i < missing.size(); ++i) {
        if (!missing[i] || choice.given[i])
            continue;
        FARDEL_TRY_ASSIGN(const BlockRecord block, bundle_->block(i));
        units.push_back({.offset = bundle_->layout_head().blocks_offset + block.stored_offset,
                         .length_bytes = block.stored_bytes,
                         .hash = block.stored_hash});
    }
    requests_ = make_requests(units);
    choice.requests += requests_.size();
    for (const FetchRequest& request : requests_) {
        choice.fetch_bytes += bytes_of(request);
        choice.temporary_bytes += bytes_of(request);  // kept beside what they become
    }
    choice.temporary_bytes += missing_bytes;
    return choice;
}

Result<bool> IntermediateBundle::fetch_blocks(const std::function<void()>& progress) {
    if (delta_) {
        std::vector<std::uint32_t> missing;
        for (std::uint32_t i = 0; i < bundle_->table_count(TableKind::blocks); ++i) {
            FARDEL_TRY_ASSIGN(const BlockRecord block, bundle_->block(i));
            if (!holds_block(block))
                missing.push_back(i);
        }
        FARDEL_TRY(delta_->fetch_blocks(
            missing, {.take = [this](std::uint32_t index,
                                     std::span<const std::byte> stored) { return write_block(index, stored); },
                      .progress = progress}));
        if (delta_->is_given_up())
            return false;
    }
    for (const FetchRequest& request : std::exchange(requests_, {})) {
        FARDEL_TRY_ASSIGN(const bool received, fetch_range_of(request));
        if (!received)
            return false;
        progress();
    }
    return true;
}

// What another server has may be another layout: it is compared with the hashes before it counts.
Result<bool> IntermediateBundle::fetch_range_of(const FetchRequest& request) {
    const std::uint64_t offset = request.front().offset;
    const auto part_of = [&](std::span<const std::byte> bytes, const FetchUnit& unit) {
        return bytes.subspan(static_cast<std::size_t>(unit.offset - offset), unit.length_bytes);
    };
    const AcceptBytes accept = [&](std::span<const std::byte> bytes) {
        return std::ranges::all_of(request,
                                   [&](const FetchUnit& unit) { return blake3(part_of(bytes, unit)) == unit.hash; });
    };
    FARDEL_TRY_ASSIGN(
        const CollectedRange received,
        fetch_range(context_.fetch.client, urls_of(context_.fetch.trees, tree_path_of(bundle_->id())),
                    {.url = {}, .offset = offset, .length_bytes = bytes_of(request), .file_bytes = file_->size_bytes()},
                    kOptionalAttempts, context_.fetch.options.stop, accept));
    if (received.failure)
        return false;
    for (const FetchUnit& unit : request) {
        // The file is gone with this object; an attempt that is resumed takes the block from the extras.
        FARDEL_TRY(context_.incoming.keep_extra(block_key(*unit.hash), part_of(received.bytes, unit)));
        FARDEL_TRY(file_->write(unit.offset, part_of(received.bytes, unit)));
    }
    return true;
}

}  // namespace fardel
