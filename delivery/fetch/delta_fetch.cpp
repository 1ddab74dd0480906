#include "fetch/delta_fetch.h"

#include "delta/held_content.h"
#include "fetch/intermediate_bundle.h"
#include "transfer/single_range.h"
#include "transfer/tree_urls.h"

#include <fardel/base/fits.h>
#include <fardel/base/free_space.h>
#include <fardel/delivery/raw_block.h>
#include <fardel/format/hash.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

// What the fronts of a path may have together.
std::uint64_t front_bytes_max(const Bundle& held) {
    return old_tables_of(held).size_bytes() + limits::kTrailerBytesMax;
}

// Under which a front is kept.
std::string front_key(const std::string& path, std::uint64_t front_bytes, std::uint64_t delta_bytes) {
    return "front " + path + " " + std::to_string(front_bytes) + " " + std::to_string(delta_bytes);
}

bool is_whole(const Bundle& bundle) { return bundle.source()->holds(0, bundle.source()->size_bytes()); }

TablesPlace place_in(IncomingBundle& incoming) {
    return {
        .set_file_bytes = [&](std::uint64_t file_bytes) { return incoming.set_file_bytes(file_bytes); },
        .write = [&](std::uint64_t offset, std::span<const std::byte> bytes) { return incoming.write(offset, bytes); }};
}

}  // namespace

DeltaFetch::DeltaFetch(DeltaContext context, const BundleId& target, DeltaGoal goal)
    : context_(std::move(context)), target_(target), goal_(goal) {}
DeltaFetch::~DeltaFetch() = default;

Result<std::vector<std::byte>> DeltaFetch::fetch_part(std::uint64_t offset, std::uint64_t length_bytes,
                                                      std::uint64_t file_bytes) {
    FARDEL_TRY_ASSIGN(CollectedRange part,
                      fetch_range(context_.fetch.client, urls_in(context_.fetch.trees, url_),
                                  {.url = {}, .offset = offset, .length_bytes = length_bytes, .file_bytes = file_bytes},
                                  kOptionalAttempts, context_.fetch.options.stop));
    // The codes of servers must not be taken for those of this machine's disk.
    if (part.failure)
        return Error(ErrorCode::unreachable, part.failure->message());
    return std::move(part.bytes);
}

Result<std::vector<std::byte>> DeltaFetch::fetch_kept(const std::string& key, std::uint64_t offset,
                                                      std::uint64_t length_bytes, std::uint64_t file_bytes) {
    FARDEL_TRY_ASSIGN(auto kept, context_.incoming.read_extra(key));
    if (kept && kept->size() == length_bytes)
        return *std::move(kept);
    FARDEL_TRY_ASSIGN(auto bytes, fetch_part(offset, length_bytes, file_bytes));
    FARDEL_TRY(context_.incoming.keep_extra(key, bytes));
    return bytes;
}

std::string DeltaFetch::frame_key(std::uint64_t frame_offset) const {
    return "frame " + front_hash_.hex() + " " + std::to_string(frame_offset);
}

std::string DeltaFetch::wrong_key() const { return "wrong " + front_hash_.hex(); }

// ---- Finding deltas -------------------------------------------------------------------------------------------------

std::shared_ptr<const Bundle> DeltaFetch::find_held(const OldBundles& olds, const BundleId& id,
                                                    const LayoutId& layout) const {
    for (const auto& old : olds)
        if (old->id() == id && old->layout_id() == layout)
            return old;
    auto source = id == target_ ? Error(ErrorCode::missing, "it is the target") : context_.fetch.store.open_bundle(id);
    const auto part = source ? Bundle::open(*std::move(source), {}) : std::move(source).error();
    return part && (*part)->layout_id() == layout ? *part : nullptr;
}

Result<FoundDeltaList> DeltaFetch::fetch_list(const BundleId& target) {
    FoundDeltaList found;
    const AcceptBytes accept = [&](std::span<const std::byte> bytes) {
        auto list = decode_delta_list(bytes);
        if (list)
            found.list = *std::move(list);
        return list.has_value();
    };
    FARDEL_TRY_ASSIGN(const CollectedRange received,
                      fetch_range(context_.fetch.client, urls_of(context_.fetch.trees, delta_list_path_of(target)),
                                  {.url = {}, .offset = 0, .length_bytes = kDeltaListBytesMax}, kOptionalAttempts,
                                  context_.fetch.options.stop, accept));
    found.tree = context_.fetch.trees[received.server];
    std::ranges::stable_sort(found.list, {}, &ListedDelta::delta_bytes);
    return found;
}

Result<DeltaPath> DeltaFetch::find_path(const OldBundles& olds) {
    FARDEL_TRY_ASSIGN(const FoundDeltaList found, fetch_list(target_));
    for (const ListedDelta& listed : found.list)
        if (const auto old = find_held(olds, listed.old_bundle, listed.old_layout); old && is_whole(*old))
            return DeltaPath{{.bundle = target_, .tree = found.tree, .listed = listed}};
    return find_delta_path(
        target_, found, [&](const BundleId& bundle) { return fetch_list(bundle); },
        [&](const ListedDelta& listed) { return find_held(olds, listed.old_bundle, listed.old_layout) != nullptr; });
}

Result<bool> DeltaFetch::fetch_tables(const OldBundles& olds, IncomingBundle& incoming,
                                      std::uint64_t tables_bytes_max) {
    if (olds.empty()) {
        FARDEL_TRY_ASSIGN(const auto stored, context_.fetch.store.list());
        if (std::ranges::all_of(stored, [&](const StoredBundle& one) { return one.bundle == target_; }))
            return false;
    }
    const TablesPlace empty = place_in(incoming);
    const TablesPlace* const place = incoming.file_bytes() ? nullptr : &empty;  // from an earlier attempt
    FARDEL_TRY_ASSIGN(const DeltaPath path, find_path(olds));
    if (path.empty())
        return false;
    const ListedDelta& first = path.front().listed;
    const auto held = find_held(olds, first.old_bundle, first.old_layout);
    std::uint64_t front_bytes = 0;
    for (const DeltaStep& step : path)
        front_bytes += step.listed.front_bytes;
    if (held == nullptr || front_bytes > front_bytes_max(*held))
        return false;  // more would not be worth it, whatever the tables are
    auto written = fetch_along(path, held, place, tables_bytes_max);
    if (written || ends_fetch(written.error()))
        return written;
    reader_.reset();
    made_.reset();
    return incoming.held_bytes() != 0;  // a second path is not worth it
}

Result<bool> DeltaFetch::fetch_along(std::span<const DeltaStep> path, const std::shared_ptr<const Bundle>& held,
                                     const TablesPlace* place, std::uint64_t tables_bytes_max) {
    const DeltaStep& last = path.back();
    old_ = held;
    if (path.size() > 1) {
        // Fronts are small, whatever they give: without this bound, hostile ones could fill the disk.
        const std::uint64_t grown_max = 2 * front_bytes_max(*held);
        FARDEL_TRY_ASSIGN(made_, IntermediateBundle::open(context_, path.first(path.size() - 1), held,
                                                          std::min(tables_bytes_max, grown_max)));
        old_ = made_->bundle();
    } else if (!is_whole(*held)) {
        FARDEL_TRY_ASSIGN(made_, IntermediateBundle::open_part(context_, held));
        old_ = made_->bundle();
    }
    if (old_->id() != last.listed.old_bundle || old_->layout_id() != last.listed.old_layout)
        return Error(ErrorCode::conflict, "the deltas lead to another layout than the next one needs");
    const std::string path_of_last = delta_path_of(target_, last.listed.old_bundle);
    url_ = last.tree + "/" + path_of_last;
    return fetch_front(path_of_last, last.listed, place, tables_bytes_max);
}

Result<bool> DeltaFetch::fetch_front(const std::string& path, const ListedDelta& listed, const TablesPlace* place,
                                     std::uint64_t tables_bytes_max) {
    if (listed.front_bytes < kDeltaHeadBytes)
        return false;
    FARDEL_TRY_ASSIGN(auto front, fetch_kept(front_key(path, listed.front_bytes, listed.delta_bytes), 0,
                                             listed.front_bytes, listed.delta_bytes));
    FARDEL_TRY_ASSIGN(front_.head, decode_delta_head(std::span(front).first(kDeltaHeadBytes)));
    if (front_.head.new_bundle != target_ || front_.head.front_bytes() != listed.front_bytes ||
        front_.head.delta_bytes() != listed.delta_bytes)
        return Error(ErrorCode::malformed, "the delta is another one than the list says");
    return use_front(std::move(front), place, tables_bytes_max);
}

// Its head is decoded.
Result<bool> DeltaFetch::use_front(std::vector<std::byte> bytes, const TablesPlace* place,
                                   std::uint64_t tables_bytes_max) {
    const auto directory_bytes = static_cast<std::size_t>(front_.head.directory_bytes);
    FARDEL_TRY_ASSIGN(front_.directory,
                      decode_delta_directory(front_.head, std::span(bytes).subspan(kDeltaHeadBytes, directory_bytes)));
    front_hash_ = blake3(bytes);
    FARDEL_TRY_ASSIGN(const bool is_wrong, context_.incoming.has_extra(wrong_key()));
    if (is_wrong)
        return Error(ErrorCode::corrupt, "an earlier attempt has found the delta to be wrong");
    FARDEL_TRY_ASSIGN(DeltaReader reader, DeltaReader::open(old_, front_.head));
    reader_.emplace(std::move(reader));
    if (place == nullptr)
        return false;  // they are here already, from an earlier attempt
    // The first large write, before anybody has consented to the rest. Larger ones are not placed at all.
    std::uint64_t tables_bytes = 0;
    for (const DeltaTables& segment : front_.directory.tables)
        tables_bytes += segment.raw_bytes;
    if (tables_bytes <= tables_bytes_max)
        FARDEL_TRY(verify_free_space(context_.fetch.store.path(), tables_bytes, "the tables of a delta"));
    return place_delta_tables(old_.get(), front_, *make_memory_source(std::move(bytes)), tables_bytes_max, *place);
}

// ---- Choosing blocks ------------------------------------------------------------------------------------------------

Result<BlockChoice> DeltaFetch::choose(const BlockTarget& target, const std::vector<bool>& missing) {
    bool encodes = true;
    if (reader_ && front_.head.block_segments != 0) {
        FARDEL_TRY_ASSIGN(const std::vector<bool> held, held_blocks(target));
        FARDEL_TRY_ASSIGN(encodes, may_encode_at(*target.bundle, held, front_.head.level));
    }
    return choose_blocks(target.bundle, missing, encodes);
}

Result<BlockChoice> DeltaFetch::choose_blocks(const std::shared_ptr<const Bundle>& target,
                                              const std::vector<bool>& missing, bool encodes) {
    const BlockChoice none{.given = std::vector<bool>(missing.size(), false)};
    chosen_.clear();
    copies_.clear();
    given_ = none.given;
    bundle_ = target;
    if (!reader_ || front_.head.new_layout != target->layout_id() ||
        front_.head.file_bytes != target->source()->size_bytes())
        return none;
    BlockChoice choice = none;
    std::vector<bool> needed(static_cast<std::size_t>(old_->table_count(TableKind::blocks)), false);
    std::uint64_t saved = 0;
    // What is here with the same stored bytes is shared by others, if the target is.
    if (goal_ == DeltaGoal::intermediate || (made_ && made_->comes_from_delta()))
        FARDEL_TRY(choose_copies(missing, choice, needed, saved));
    FARDEL_TRY(choose_segments(missing, encodes, choice, needed, saved));
    // All of a path is chosen or nothing: what a segment costs depends on which others need the same blocks.
    if (made_) {
        const auto made = made_->choose(needed, encodes);
        choice.fetch_bytes += made ? made->fetch_bytes : 0;
        choice.requests += made ? made->requests : 0;
        choice.temporary_bytes += made ? made->temporary_bytes : 0;
        if (!made || (goal_ == DeltaGoal::bundle && saved <= choice.fetch_bytes)) {
            chosen_.clear();
            copies_.clear();
            return none;
        }
    }
    given_ = choice.given;
    return choice;
}

// Hashes of hostile tables are sorted, and equal ones are looked at once.
Status DeltaFetch::choose_copies(const std::vector<bool>& missing, BlockChoice& choice, std::vector<bool>& needed,
                                 std::uint64_t& saved) {
    std::vector<std::pair<Hash, std::uint32_t>> sought;
    for (std::uint32_t i = 0; i < missing.size(); ++i) {
        if (!missing[i])
            continue;
        FARDEL_TRY_ASSIGN(const BlockRecord record, bundle_->block(i));
        sought.emplace_back(record.stored_hash, i);
    }
    std::ranges::sort(sought);
    for (std::uint32_t old_block = 0; old_block < needed.size() && !sought.empty(); ++old_block) {
        FARDEL_TRY_ASSIGN(const BlockRecord record, old_->block(old_block));
        auto same = std::ranges::lower_bound(sought, std::pair(record.stored_hash, 0u));
        if (same == sought.end() || same->first != record.stored_hash || choice.given[same->second])
            continue;
        needed[old_block] = true;
        for (; same != sought.end() && same->first == record.stored_hash; ++same) {
            choice.given[same->second] = true;
            copies_.push_back({.block = same->second, .old_block = old_block});
            saved += record.stored_bytes;
        }
    }
    return ok();
}

Status DeltaFetch::choose_segments(const std::vector<bool>& missing, bool encodes, BlockChoice& choice,
                                   std::vector<bool>& needed, std::uint64_t& saved) {
    std::uint64_t offset = front_.head.front_bytes();
    for (std::size_t i = 0; i < front_.directory.blocks.size(); ++i) {
        const DeltaBlocks& segment = front_.directory.blocks[i];
        const std::uint64_t frame_offset = std::exchange(offset, offset + segment.frame_bytes);
        std::vector<std::size_t> given;
        std::uint64_t given_bytes = 0;
        for (const BlockRun& run : segment.blocks)
            for (std::uint64_t block = run.first; block < run.end() && block < missing.size(); ++block) {
                if (!missing[in_memory(block)] || choice.given[in_memory(block)])
                    continue;
                FARDEL_TRY_ASSIGN(const BlockRecord record, bundle_->block(static_cast<std::uint32_t>(block)));
                if (segment.form == DeltaBlocks::Form::raw && record.codec != Codec::raw && !encodes)
                    continue;
                given.push_back(static_cast<std::size_t>(block));
                given_bytes += record.stored_bytes;
            }
        FARDEL_TRY_ASSIGN(const auto cost, cost_of(segment.prefix, needed));
        if (given.empty() || !cost || (goal_ == DeltaGoal::bundle && given_bytes <= segment.frame_bytes + *cost))
            continue;
        chosen_.push_back({.index = i, .offset = frame_offset});
        FARDEL_TRY_ASSIGN(const bool is_kept, context_.incoming.has_extra(frame_key(frame_offset)));
        if (!is_kept) {
            choice.fetch_bytes += segment.frame_bytes;
            ++choice.requests;
            choice.temporary_bytes += goal_ == DeltaGoal::intermediate ? segment.frame_bytes : 0;
        }
        saved += given_bytes;
        for (const std::size_t block : given)
            choice.given[block] = true;
        for (const BlockRun& run : segment.prefix)
            std::fill_n(needed.begin() + run.first, run.count, true);
    }
    return ok();
}

Result<std::optional<std::uint64_t>> DeltaFetch::cost_of(std::span<const BlockRun> runs,
                                                         const std::vector<bool>& needed) const {
    std::uint64_t bytes = 0;
    for (const BlockRun& run : runs) {
        if (run.end() > needed.size())
            return std::optional<std::uint64_t>();
        // What a delta gives is judged with all that is needed.
        for (std::uint32_t i = run.first; made_ && !made_->comes_from_delta() && i < run.end(); ++i) {
            FARDEL_TRY_ASSIGN(const BlockRecord record, old_->block(i));
            if (!needed[i] && !made_->holds_block(record))
                bytes += record.stored_bytes;
        }
    }
    return std::optional(bytes);
}

// ---- Fetching blocks ------------------------------------------------------------------------------------------------

// What a segment gives for the bundle itself is kept there.
Result<std::vector<std::byte>> DeltaFetch::fetch_frame(const Segment& chosen) {
    const std::uint32_t frame_bytes = front_.directory.blocks[chosen.index].frame_bytes;
    return goal_ == DeltaGoal::intermediate
               ? fetch_kept(frame_key(chosen.offset), chosen.offset, frame_bytes, front_.head.delta_bytes())
               : fetch_part(chosen.offset, frame_bytes, front_.head.delta_bytes());
}

Status DeltaFetch::fetch_blocks(std::span<const std::uint32_t> blocks, const BlockSink& sink) {
    if (made_ && !(chosen_.empty() && copies_.empty())) {
        FARDEL_TRY_ASSIGN(const bool is_made, made_->fetch_blocks(sink.progress));
        if (!is_made) {
            give_up();
            return ok();
        }
    }
    FARDEL_TRY(copy_blocks(blocks, sink));
    FARDEL_TRY(fetch_segments(blocks, sink));
    if (made_) {  // it needs the disk, and has done what it can
        reader_.reset();
        old_.reset();
        made_.reset();
    }
    return ok();
}

void DeltaFetch::give_up() {
    is_given_up_ = true;
    reader_.reset();
    old_.reset();
    made_.reset();
}

Status DeltaFetch::copy_blocks(std::span<const std::uint32_t> blocks, const BlockSink& sink) {
    std::vector<std::byte> stored;
    for (const Copy& copy : std::exchange(copies_, {})) {
        FARDEL_TRY_ASSIGN(const BlockRecord record, bundle_->block(copy.block));
        const auto old = old_->block(copy.old_block);
        if (!std::ranges::binary_search(blocks, copy.block) || !old || old->stored_bytes != record.stored_bytes ||
            record.stored_bytes > limits::kBlockBytesMax)
            continue;
        stored.resize(record.stored_bytes);
        if (read_stored_block(*old_, *old, stored))
            FARDEL_TRY(sink.take(copy.block, stored));
    }
    return ok();
}

Status DeltaFetch::fetch_segments(std::span<const std::uint32_t> blocks, const BlockSink& sink) {
    for (const Segment& chosen : std::exchange(chosen_, {})) {
        const DeltaBlocks& segment = front_.directory.blocks[chosen.index];
        const auto frame = fetch_frame(chosen);
        if (!frame && (ends_fetch(frame.error()) || frame.error().code() == ErrorCode::limit))
            return frame.error();
        if (!frame) {
            give_up();
            return ok();
        }
        sink.progress();
        std::optional<Error> failure;  // of this machine
        const auto differing = reader_->read_blocks(
            segment, *frame, *bundle_,
            [&](std::uint32_t block) {
                return block < given_.size() && given_[block] && std::ranges::binary_search(blocks, block);
            },
            [&](std::uint32_t block, std::span<const std::byte> stored) -> Status {
                Status taken = sink.take(block, stored);
                if (!taken)
                    failure = taken.error();
                return taken;
            });
        if (failure)
            return std::move(*failure);
        if (!differing || *differing != 0) {
            give_up();
            return context_.incoming.keep_extra(wrong_key(), {});  // not worth a second attempt
        }
    }
    return ok();
}

}  // namespace fardel
