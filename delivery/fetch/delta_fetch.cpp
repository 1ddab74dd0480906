#include "fetch/delta_fetch.h"

#include "delta/raw_block.h"
#include "delta/table_image.h"
#include "transfer/single_range.h"

#include <fardel/base/fits.h>
#include <fardel/format/derived_tables.h>
#include <fardel/format/head.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

using OldBundles = std::vector<std::shared_ptr<const Bundle>>;

OldBundles::const_iterator find_old(const OldBundles& olds, const BundleId& id, const LayoutId& layout) {
    return std::ranges::find_if(
        olds, [&](const std::shared_ptr<const Bundle>& one) { return one->id() == id && one->layout_id() == layout; });
}

}  // namespace

Result<std::vector<std::byte>> DeltaFetch::fetch_from(const std::string& url, std::uint64_t offset,
                                                      std::uint64_t length_bytes,
                                                      std::optional<std::uint64_t> file_bytes) {
    return fetch_range(client_, {.url = url, .offset = offset, .length_bytes = length_bytes, .file_bytes = file_bytes},
                       stop_, counts_);
}

Status DeltaFetch::find_list(DeltaKind kind) {
    list_.clear();
    for (const std::string& tree : trees_) {
        FARDEL_TRY_ASSIGN(const auto bytes, fetch_from(tree + "/" + delta_list_path_of(target_, kind), 0,
                                                       kDeltaListBytesMax, std::nullopt));
        auto list = decode_delta_list(bytes);
        if (!list)
            continue;
        tree_ = tree;
        list_ = *std::move(list);
        std::ranges::stable_sort(list_, {}, &ListedDelta::delta_bytes);
        return ok();
    }
    return ok();
}

Result<bool> DeltaFetch::fetch_tables(const std::vector<std::shared_ptr<const Bundle>>& olds, IncomingBundle& incoming,
                                      std::uint64_t tables_bytes_max) {
    if (olds.empty())
        return false;
    if (!offered_.empty()) {
        auto written = try_offered(olds, incoming, tables_bytes_max);
        if (written ? reader_.has_value() : ends_fetch(written.error()))
            return written;
        reader_.reset();
        if (incoming.held_bytes() != 0)
            return true;
    }
    for (const DeltaKind kind : {DeltaKind::whole, DeltaKind::front}) {
        if (kind == DeltaKind::front && incoming.file_bytes())
            break;  // tables are here already, from an earlier attempt
        FARDEL_TRY(find_list(kind));
        for (const ListedDelta& listed : list_) {
            const auto old = find_old(olds, listed.old_bundle, listed.old_layout);
            if (old == olds.end())
                continue;
            url_ = tree_ + "/" + delta_path_of(target_, listed.old_bundle, kind);
            auto written = fetch_front(*old, listed, incoming, tables_bytes_max);
            if (written || ends_fetch(written.error()))
                return written;
            reader_.reset();
            if (incoming.held_bytes() != 0)
                return true;
            break;  // a second one of a kind is not worth it
        }
    }
    return false;
}

Result<bool> DeltaFetch::try_offered(const std::vector<std::shared_ptr<const Bundle>>& olds, IncomingBundle& incoming,
                                     std::uint64_t tables_bytes_max) {
    if (offered_.size() < kDeltaHeadBytes)
        return false;
    FARDEL_TRY_ASSIGN(head_, decode_delta_head(offered_.first(kDeltaHeadBytes)));
    const auto old = find_old(olds, head_.old_bundle, head_.old_layout);
    if (old == olds.end() || head_.new_bundle != target_ || head_.front_bytes() != offered_.size())
        return false;
    url_ = trees_.front() + "/" + delta_path_of(target_, head_.old_bundle);
    return use_front(*old, offered_, incoming, tables_bytes_max);
}

Result<bool> DeltaFetch::fetch_front(const std::shared_ptr<const Bundle>& old, const ListedDelta& listed,
                                     IncomingBundle& incoming, std::uint64_t tables_bytes_max) {
    // More would not be worth it, whatever the tables are.
    if (listed.front_bytes < kDeltaHeadBytes ||
        listed.front_bytes > old_tables_of(*old).size_bytes() + limits::kTrailerBytesMax)
        return false;
    FARDEL_TRY_ASSIGN(const auto front, fetch_from(url_, 0, listed.front_bytes, listed.delta_bytes));
    FARDEL_TRY_ASSIGN(head_, decode_delta_head(std::span(front).first(kDeltaHeadBytes)));
    if (head_.new_bundle != target_ || head_.front_bytes() != listed.front_bytes ||
        head_.delta_bytes() != listed.delta_bytes)
        return Error(ErrorCode::malformed, "the delta is another one than the list says");
    return use_front(old, front, incoming, tables_bytes_max);
}

// Its head is decoded.
Result<bool> DeltaFetch::use_front(const std::shared_ptr<const Bundle>& old, std::span<const std::byte> bytes,
                                   IncomingBundle& incoming, std::uint64_t tables_bytes_max) {
    FARDEL_TRY_ASSIGN(
        directory_,
        decode_delta_directory(head_, bytes.subspan(kDeltaHeadBytes, static_cast<std::size_t>(head_.directory_bytes))));
    FARDEL_TRY_ASSIGN(DeltaReader reader, DeltaReader::open(old, head_));
    reader_.emplace(std::move(reader));
    std::uint64_t image_bytes = 0;
    for (const DeltaTables& segment : directory_.tables)
        image_bytes += segment.raw_bytes;
    if (incoming.file_bytes() || image_bytes > tables_bytes_max)
        return false;  // they are here already, from an earlier attempt, or too large

    BundleHead bundle_head;
    LayoutHead layout_head;
    std::optional<TableImage> image;
    std::size_t at = kDeltaHeadBytes + static_cast<std::size_t>(head_.directory_bytes);
    std::uint64_t offset = 0;
    for (const DeltaTables& segment : directory_.tables) {
        FARDEL_TRY_ASSIGN(const auto tables, reader_->read_tables(segment, bytes.subspan(at, segment.frame_bytes)));
        if (!image) {
            HeadBytes head{};
            HeadBytes layout{};
            if (tables.size() < head.size() + layout.size())
                return Error(ErrorCode::malformed, "the delta gives no heads");
            std::copy_n(tables.begin(), head.size(), head.begin());
            std::copy_n(tables.begin() + head.size(), layout.size(), layout.begin());
            FARDEL_TRY_ASSIGN(bundle_head, decode_head(head));
            FARDEL_TRY_ASSIGN(layout_head, decode_layout_head(layout));
            if (bundle_id(head) != target_)
                return Error(ErrorCode::corrupt, "the delta gives the head of another bundle");
            FARDEL_TRY(verify_sections(bundle_head, target_, layout_head, head_.file_bytes));
            image.emplace(new_tables_of(bundle_head, layout_head, head_.file_bytes));
            if (image->size_bytes() != image_bytes)
                return Error(ErrorCode::malformed, "the delta gives tables of another size");
            if (!fits(bundle_head.manifest_bytes, layout_head.layout_bytes, tables_bytes_max))
                return false;
            FARDEL_TRY(incoming.set_file_bytes(head_.file_bytes));
        }
        FARDEL_TRY(image->scatter(offset, tables, [&](std::uint64_t file_offset, std::span<const std::byte> part) {
            return incoming.write(file_offset, part);
        }));
        at += segment.frame_bytes;
        offset += tables.size();
    }
    if (!image)
        return false;
    FARDEL_TRY_ASSIGN(const auto given, incoming.source());
    FARDEL_TRY(derive_tables(bundle_head, layout_head, *given,
                             [&](std::uint64_t file_offset, std::span<const std::byte> bytes_derived) {
                                 return incoming.write(file_offset, bytes_derived);
                             }));
    return true;
}

Result<BlockChoice> DeltaFetch::choose(const std::shared_ptr<const Bundle>& target, const std::vector<bool>& missing,
                                       bool encodes) {
    BlockChoice choice{.given = std::vector<bool>(missing.size(), false)};
    chosen_.clear();
    given_ = choice.given;
    bundle_ = target;
    if (!reader_ || head_.new_layout != target->layout_id() || head_.file_bytes != target->source()->size_bytes())
        return choice;
    std::uint64_t offset = head_.front_bytes();
    for (std::size_t i = 0; i < directory_.blocks.size(); ++i) {
        const DeltaBlocks& segment = directory_.blocks[i];
        const std::uint64_t frame_offset = std::exchange(offset, offset + segment.frame_bytes);
        std::vector<std::size_t> given;
        std::uint64_t saved = 0;
        for (const BlockRun& run : segment.blocks)
            for (std::uint64_t block = run.first; block < run.end() && block < missing.size(); ++block) {
                if (!missing[block] || choice.given[block])
                    continue;
                FARDEL_TRY_ASSIGN(const BlockRecord record, target->block(static_cast<std::uint32_t>(block)));
                if (segment.form == DeltaBlocks::Form::raw && record.codec != Codec::raw && !encodes)
                    continue;
                given.push_back(static_cast<std::size_t>(block));
                saved += record.stored_bytes;
            }
        if (saved <= segment.frame_bytes)
            continue;
        chosen_.push_back({.index = i, .offset = frame_offset});
        choice.fetch_bytes += segment.frame_bytes;
        ++choice.requests;
        for (const std::size_t block : given)
            choice.given[block] = true;
    }
    given_ = choice.given;
    return choice;
}

Status DeltaFetch::fetch_blocks(const std::function<bool(std::uint32_t)>& wanted, const TakeBlock& take,
                                const std::function<void(std::uint64_t)>& progress) {
    std::uint64_t received = 0;
    for (const Segment& chosen : std::exchange(chosen_, {})) {
        const DeltaBlocks& segment = directory_.blocks[chosen.index];
        const auto frame = fetch_from(url_, chosen.offset, segment.frame_bytes, head_.delta_bytes());
        if (!frame && ends_fetch(frame.error()))
            return frame.error();
        if (!frame)
            return ok();
        received += frame->size();
        if (progress)
            progress(received);
        std::optional<Error> failure;  // of this machine
        const auto differing = reader_->read_blocks(
            segment, *frame, *bundle_,
            [&](std::uint32_t block) { return block < given_.size() && given_[block] && wanted(block); },
            [&](std::uint32_t block, std::span<const std::byte> stored) -> Status {
                Status taken = take(block, stored);
                if (!taken)
                    failure = taken.error();
                return taken;
            });
        if (failure)
            return std::move(*failure);
        if (!differing || *differing != 0)
            return ok();  // what is wrong once is not worth a second attempt
    }
    return ok();
}

}  // namespace fardel
