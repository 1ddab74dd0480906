#include "remote/remote_file.h"

#include <fardel/base/fits.h>
#include <fardel/format/envelope.h>
#include <fardel/format/hash.h>
#include <fardel/format/head.h>
#include <fardel/format/limits.h>
#include <fardel/format/name.h>
#include <fardel/format/table_pages.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kPage = limits::kPageBytes;
constexpr std::uint64_t kHeadsLength = 2 * std::uint64_t{limits::kHeadBytes};
constexpr std::uint64_t kHashesPerPage = kPage / sizeof(Hash);
constexpr std::uint64_t kFirstPages = 8;  // of a table, in one request
constexpr std::uint64_t kPrefetchMax = 8u << 20;
constexpr std::size_t kBlockRecordBytes = record_bytes(TableKind::blocks);

}  // namespace

// The file for RebuiltBlocks, which belongs to it: blocks that are not here are not requested.
class RemoteFile::TablesSource final : public ByteSource {
public:
    explicit TablesSource(const RemoteFile& file) : file_(file) {}

    std::uint64_t size_bytes() const noexcept override { return file_.size_bytes(); }
    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        if (file_.parts_.part_at(offset).kind != PartKind::blocks)
            return file_.read_at(offset, out);
        return file_.kept().read(offset, out) ? ok() : Error(ErrorCode::missing, "the block is not here");
    }
    bool holds(std::uint64_t offset, std::uint64_t length) const override { return file_.holds(offset, length); }

private:
    const RemoteFile& file_;
};

RemoteFile::RemoteFile(const BundleId& bundle, std::unique_ptr<KeptBytes> kept, std::shared_ptr<ServerQueue> queue,
                       std::vector<std::string> urls, HeldElsewhere elsewhere)
    : id_(bundle), elsewhere_(std::move(elsewhere)), requests_(std::move(kept), std::move(queue), std::move(urls)) {
    requests_.bring_blocks([this](const ServerUnit& block) { bring_block(block); });
}

// ---- Heads ----------------------------------------------------------------------------------------------------------

Status RemoteFile::take_heads(std::span<const std::byte> heads, std::uint64_t file_bytes) {
    if (heads.size() != kHeadsLength || file_bytes > kReceivedFileBytesMax)
        return Error(ErrorCode::limit, "the file has " + std::to_string(file_bytes) + " bytes");
    HeadBytes head_bytes;
    HeadBytes layout_bytes;
    std::memcpy(head_bytes.data(), heads.data(), head_bytes.size());
    std::memcpy(layout_bytes.data(), heads.data() + head_bytes.size(), layout_bytes.size());
    // Nothing of the head is looked at before it has the id that was asked for; all else is proved through it.
    if (bundle_id(head_bytes) != id_)
        return Error(ErrorCode::corrupt, "the file on the server is another bundle, or none");
    FARDEL_TRY_ASSIGN(const BundleHead head, decode_head(head_bytes));
    FARDEL_TRY_ASSIGN(const LayoutHead layout, decode_layout_head(layout_bytes));
    FARDEL_TRY(verify_sections(head, id_, layout, file_bytes));
    file_bytes_ = file_bytes;
    heads_.assign(heads.begin(), heads.end());
    trailer_offset_ = layout.trailer_offset;
    blocks_offset_ = layout.blocks_offset;
    blocks_bytes_ = layout.blocks_bytes;
    parts_ = FileParts(head, layout, file_bytes);
    blocks_level_ = parts_.find_table(TableKind::blocks);
    std::uint64_t tables_bytes = 0;
    for (const TableKind kind : {TableKind::assets, TableKind::pieces, TableKind::placements, TableKind::blocks})
        if (const auto level = parts_.find_table(kind))
            tables_bytes += parts_.levels()[*level].length_bytes;
    rebuilt_ = std::make_unique<RebuiltBlocks>(std::make_shared<TablesSource>(*this), elsewhere_, tables_bytes);
    const std::scoped_lock lock(mutex_);
    windows_.assign(parts_.levels().size(), {});
    block_pages_.clear();
    return ok();
}

Result<bool> RemoteFile::open_kept() {
    const auto file_bytes = kept().file_bytes();
    std::vector<std::byte> heads(kHeadsLength);
    if (!file_bytes || !kept().read(0, heads))
        return false;
    FARDEL_TRY(take_heads(heads, *file_bytes));
    std::vector<std::byte> trailer(static_cast<std::size_t>(file_bytes_ - trailer_offset_));
    if (!kept().read(trailer_offset_, trailer))
        return false;
    FARDEL_TRY(decode_trailer(trailer));
    trailer_ = std::move(trailer);
    requests_.prefer(0, file_bytes_);
    return true;
}

Status RemoteFile::open_from(std::size_t server) {
    FARDEL_TRY_ASSIGN(const auto heads, requests_.fetch_unproved(server, 0, kHeadsLength, std::nullopt));
    FARDEL_TRY(take_heads(*heads.bytes, heads.file_bytes));
    trailer_.clear();
    if (trailer_offset_ < file_bytes_) {
        FARDEL_TRY_ASSIGN(
            const auto trailer,
            requests_.fetch_unproved(server, trailer_offset_, static_cast<std::uint32_t>(file_bytes_ - trailer_offset_),
                                     file_bytes_));
        FARDEL_TRY(decode_trailer(*trailer.bytes));
        trailer_ = *trailer.bytes;
    }
    requests_.prefer(server, file_bytes_);
    return ok();
}

Status RemoteFile::keep_heads() {
    KeptBytes& kept = requests_.kept();
    std::vector<std::byte> before(kHeadsLength);
    if (kept.file_bytes() == file_bytes_ && kept.read(0, before) && before == heads_)
        return ok();  // only the signatures differ
    requests_.wait_until_idle();
    FARDEL_TRY(kept.restart());
    FARDEL_TRY(kept.set_file_bytes(file_bytes_));
    kept.write(0, heads_);
    kept.write(trailer_offset_, trailer_);
    are_heads_new_ = true;
    return ok();
}

Status RemoteFile::forget() {
    requests_.wait_until_idle();
    return std::exchange(are_heads_new_, false) ? requests_.kept().discard() : ok();
}

// ---- Reading --------------------------------------------------------------------------------------------------------

Status RemoteFile::read_at(std::uint64_t offset, std::span<std::byte> out) const {
    if (!fits(offset, out.size(), file_bytes_))
        return Error(ErrorCode::corrupt,
                     "bundle " + id_.hex() + ": has only " + std::to_string(file_bytes_) + " bytes");
    while (!out.empty()) {
        const FilePart part = parts_.part_at(offset);
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), part.end - offset));
        const auto now = out.first(count);
        switch (part.kind) {
            case PartKind::heads: std::memcpy(now.data(), heads_.data() + offset, count); break;
            case PartKind::trailer: std::memcpy(now.data(), trailer_.data() + (offset - trailer_offset_), count); break;
            case PartKind::padding: std::memset(now.data(), 0, count); break;
            case PartKind::level: FARDEL_TRY(read_level(part.level, offset - part.offset, now)); break;
            case PartKind::blocks: FARDEL_TRY(read_blocks(offset, now)); break;
        }
        out = out.subspan(count);
        offset += count;
    }
    return ok();
}

// ---- Tables ---------------------------------------------------------------------------------------------------------

Status RemoteFile::read_level(std::size_t level, std::uint64_t begin, std::span<std::byte> out) const {
    constexpr std::uint64_t kPagesAtOnce = 256;
    std::vector<std::byte> pages;
    while (!out.empty()) {
        const std::uint64_t first = begin / kPage;
        const std::uint64_t last = std::min((begin + out.size() - 1) / kPage, first + kPagesAtOnce - 1);
        FARDEL_TRY(read_pages(level, first, last, pages));
        const std::size_t skipped = in_memory(begin - first * kPage);
        const std::size_t count = std::min(out.size(), pages.size() - skipped);
        std::memcpy(out.data(), pages.data() + skipped, count);
        out = out.subspan(count);
        begin += count;
    }
    return ok();
}

Result<std::vector<Hash>> RemoteFile::page_hashes(const TableLevel& level, std::uint64_t first,
                                                  std::uint64_t last) const {
    std::vector<Hash> hashes(static_cast<std::size_t>(last - first + 1), level.root);
    if (level.above)
        FARDEL_TRY(read_level(*level.above, first * sizeof(Hash), std::as_writable_bytes(std::span(hashes))));
    return hashes;
}

ServerUnit RemoteFile::unit_of(const TableLevel& level, std::uint64_t page, const Hash& hash) const {
    return {
        .offset = level.page_offset(page),
        .length_bytes = level.page_bytes(page),
        .is_right = [kind = level.kind, depth = level.level, page, size = level.table_bytes, hash](
                        std::span<const std::byte> bytes) { return page_hash(kind, depth, page, size, bytes) == hash; },
        .block_hash = {}};
}

void RemoteFile::request_top_pages() const {
    std::vector<ServerUnit> units;
    for (const TableLevel& level : parts_.levels())
        if (!level.above)
            units.push_back(unit_of(level, 0, level.root));
    requests_.request(std::move(units), kAheadPriority);
}

// Returns the end of the pages to request if some of [first, last] are not here, and sets their begin: neighbours come
// along, the more the longer a table is read in order.
std::uint64_t RemoteFile::widen(std::size_t level, std::uint64_t first, std::uint64_t last, std::uint64_t& from) const {
    const std::uint64_t count = parts_.levels()[level].page_count();
    const std::scoped_lock lock(mutex_);
    Window& window = windows_[level];
    window.pages = first == window.next && window.pages != 0 ? std::min(window.pages * 2, kHashesPerPage) : kFirstPages;
    from = first / window.pages * window.pages;
    window.next = std::min(count, (last / window.pages + 1) * window.pages);
    return window.next;
}

// Fills `out` with whole pages, each of which has its hash.
Status RemoteFile::read_pages(std::size_t level, std::uint64_t first, std::uint64_t last,
                              std::vector<std::byte>& out) const {
    const TableLevel& at = parts_.levels()[level];
    out.resize(static_cast<std::size_t>(at.page_offset(last) + at.page_bytes(last) - at.page_offset(first)));
    FARDEL_TRY_ASSIGN(const std::vector<Hash> hashes, page_hashes(at, first, last));
    const auto is_right = [&at](std::uint64_t page, const Hash& hash, std::span<const std::byte> bytes) {
        return page_hash(at.kind, at.level, page, at.table_bytes, bytes) == hash;
    };
    std::vector<std::uint64_t> missing;
    for (std::uint64_t page = first; page <= last; ++page) {
        const auto bytes = std::span(out).subspan(in_memory((page - first) * kPage), at.page_bytes(page));
        // A fetch that was killed may have left bytes that nobody has compared yet.
        if (!kept().read(at.page_offset(page), bytes) || !is_right(page, hashes[in_memory(page - first)], bytes))
            missing.push_back(page);
    }
    if (!missing.empty()) {
        std::uint64_t from = 0;
        const std::uint64_t to = widen(level, missing.front(), missing.back(), from);
        FARDEL_TRY_ASSIGN(const std::vector<Hash> wide, page_hashes(at, from, to - 1));
        std::vector<ServerUnit> needed;
        std::vector<ServerUnit> also;
        std::vector<std::byte> probe(kPage);
        for (std::uint64_t page = from; page < to; ++page) {
            const bool is_needed = std::ranges::binary_search(missing, page);
            if (!is_needed && ((page >= first && page <= last) ||
                               kept().read(at.page_offset(page), std::span(probe).first(at.page_bytes(page)))))
                continue;
            (is_needed ? needed : also).push_back(unit_of(at, page, wide[in_memory(page - from)]));
        }
        FARDEL_TRY_ASSIGN(const auto arrived, requests_.obtain(needed, also));
        for (const std::uint64_t page : missing) {
            const auto& bytes = arrived.at(at.page_offset(page));
            std::memcpy(out.data() + (page - first) * kPage, bytes->data(), bytes->size());
        }
    }
    if (level == blocks_level_)
        note_block_pages(first, out);
    return ok();
}

void RemoteFile::note_block_pages(std::uint64_t first, std::span<const std::byte> bytes) const {
    const std::scoped_lock lock(mutex_);
    for (std::size_t at = 0; at < bytes.size(); at += kPage)
        if (const auto record = decode_record<BlockRecord>(bytes.subspan(at, kBlockRecordBytes)))
            block_pages_.emplace(record->stored_offset, first + at / kPage);
}

// ---- Blocks ---------------------------------------------------------------------------------------------------------

// Returns the first block of a page that ends after the offset in the block section.
Result<std::optional<RemoteFile::FoundBlock>> RemoteFile::find_in_page(std::span<const std::byte> page,
                                                                       std::uint64_t wanted) const {
    for (std::size_t at = 0; at < page.size(); at += kBlockRecordBytes) {
        FARDEL_TRY_ASSIGN(const BlockRecord record, decode_record<BlockRecord>(page.subspan(at, kBlockRecordBytes)));
        if (!fits(record.stored_offset, record.stored_bytes, blocks_bytes_) || record.stored_bytes == 0 ||
            record.stored_bytes > limits::kBlockBytesMax)
            return Error(ErrorCode::malformed, "bundle " + id_.hex() + ": a block lies outside the block section");
        if (record.stored_offset + record.stored_bytes > wanted)
            return std::optional(FoundBlock{blocks_offset_ + record.stored_offset, record});
    }
    return std::optional<FoundBlock>();
}

// Returns the first block that ends after the offset; nothing if there is none. The records are in the order of the
// stored bytes; whoever reads a block has read its record before, so the page is known and no other is needed.
Result<std::optional<RemoteFile::FoundBlock>> RemoteFile::find_block(std::uint64_t offset) const {
    if (!blocks_level_)
        return std::optional<FoundBlock>();
    const TableLevel& level = parts_.levels()[*blocks_level_];
    const std::uint64_t wanted = offset - blocks_offset_;
    std::vector<std::byte> bytes;
    std::uint64_t low = 0;
    std::uint64_t high = level.page_count();  // a page before it has the block, or none has it
    bool is_known = false;
    {
        const std::scoped_lock lock(mutex_);
        const auto after = block_pages_.upper_bound(wanted);
        if (after != block_pages_.end())
            high = std::min(high, after->second + 1);
        is_known = after != block_pages_.begin();
        if (is_known)
            low = std::min(std::prev(after)->second, high);
    }
    // This page, or if the offset is in the padding behind its last block, the next one.
    for (int pages = 0; is_known && pages < 2 && low < high; ++pages, ++low) {
        FARDEL_TRY(read_pages(*blocks_level_, low, low, bytes));
        FARDEL_TRY_ASSIGN(const auto found, find_in_page(bytes, wanted));
        if (found)
            return found;
    }
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        FARDEL_TRY(read_pages(*blocks_level_, middle, middle, bytes));
        FARDEL_TRY_ASSIGN(const auto found, find_in_page(std::span(bytes).last(kBlockRecordBytes), wanted));
        if (found)
            high = middle;
        else
            low = middle + 1;
    }
    if (low >= level.page_count())
        return std::optional<FoundBlock>();
    FARDEL_TRY(read_pages(*blocks_level_, low, low, bytes));
    return find_in_page(bytes, wanted);
}

// The same from a page that is here; nothing also if none is.
std::optional<RemoteFile::FoundBlock> RemoteFile::peek_block(std::uint64_t offset) const {
    const std::uint64_t wanted = offset - blocks_offset_;
    std::uint64_t page = 0;
    {
        const std::scoped_lock lock(mutex_);
        const auto after = block_pages_.upper_bound(wanted);
        if (after == block_pages_.begin())
            return std::nullopt;
        page = std::prev(after)->second;
    }
    const TableLevel& level = parts_.levels()[*blocks_level_];
    std::vector<std::byte> bytes(level.page_bytes(page));
    if (!kept().read(level.page_offset(page), bytes))
        return std::nullopt;
    const auto found = find_in_page(bytes, wanted);
    return found ? *found : std::nullopt;
}

ServerUnit RemoteFile::unit_of(const Wanted& block) {
    return {.offset = block.offset,
            .length_bytes = block.length_bytes,
            .is_right = [hash = block.stored_hash](std::span<const std::byte> bytes) { return blake3(bytes) == hash; },
            .block_hash = block.stored_hash};
}

ServerUnit RemoteFile::unit_of(const FoundBlock& block) {
    return unit_of(Wanted{
        .offset = block.offset, .length_bytes = block.record.stored_bytes, .stored_hash = block.record.stored_hash});
}

void RemoteFile::bring_block(const ServerUnit& unit) const {
    KeptBytes& kept = requests_.kept();
    if (kept.holds(unit.offset, unit.length_bytes) ||
        kept.share(*elsewhere_.library_blocks, unit.offset, *unit.block_hash, unit.length_bytes))
        return;
    if (const auto rebuilt = rebuilt_->find(unit.offset, unit.length_bytes))
        kept.write(unit.offset, *rebuilt);
}

Status RemoteFile::read_blocks(std::uint64_t offset, std::span<std::byte> out) const {
    const std::uint64_t end = offset + out.size();
    if (!kept().read(offset, out)) {
        // The range is not here as a whole: each block in it is read from the store, or asked for.
        std::memset(out.data(), 0, out.size());  // what is between blocks
        std::vector<ServerUnit> needed;
        std::vector<std::byte> bytes;
        const auto copy = [&](std::uint64_t from, std::span<const std::byte> block) {
            const std::uint64_t begin = std::max(from, offset);
            const std::uint64_t stop = std::min(from + block.size(), end);
            if (begin < stop)
                std::memcpy(out.data() + (begin - offset), block.data() + (begin - from), in_memory(stop - begin));
        };
        for (std::uint64_t at = offset; at < end;) {
            FARDEL_TRY_ASSIGN(const auto block, find_block(at));
            if (!block || block->offset >= end)
                break;
            bytes.resize(block->record.stored_bytes);
            if (kept().read(block->offset, bytes))
                copy(block->offset, bytes);
            else
                needed.push_back(unit_of(*block));
            at = block->end();
        }
        FARDEL_TRY_ASSIGN(const auto arrived, requests_.obtain(needed, {}));
        for (const auto& [from, block] : arrived)
            copy(from, *block);
    }
    read_ahead(offset, end);
    return ok();
}

void RemoteFile::read_ahead(std::uint64_t offset, std::uint64_t end) const {
    std::optional<ReadAhead::Range> range;
    {
        const std::scoped_lock lock(mutex_);
        range = ahead_.note_read(offset, end);
    }
    if (range)
        prefetch(range->offset, range->end - range->offset);
}

void RemoteFile::prefetch(std::uint64_t offset, std::uint64_t length) const {
    const std::uint64_t blocks_end = blocks_offset_ + blocks_bytes_;
    if (!blocks_level_ || offset < blocks_offset_ || offset >= blocks_end)
        return;
    length = std::min({length, blocks_end - offset, kPrefetchMax});
    requests_.request(missing_blocks(offset, offset + length), kAheadPriority);
}

std::vector<ServerUnit> RemoteFile::missing_blocks(std::uint64_t from, std::uint64_t to) const {
    std::vector<ServerUnit> units;
    std::vector<std::byte> bytes;
    for (std::uint64_t at = from; at < to;) {
        const auto block = peek_block(at);
        if (!block || block->offset >= to || block->end() <= at)
            break;
        bytes.resize(block->record.stored_bytes);
        if (!kept().read(block->offset, bytes))
            units.push_back(unit_of(*block));
        at = block->end();
    }
    return units;
}

void RemoteFile::want(std::vector<Wanted> blocks, RequestPriority priority) const {
    std::vector<ServerUnit> units;
    for (const Wanted& block : blocks)
        if (!holds_block(block))
            units.push_back(unit_of(block));
    std::ranges::sort(units, {}, &ServerUnit::offset);
    const auto same = [](const ServerUnit& a, const ServerUnit& b) { return a.offset == b.offset; };
    units.erase(std::unique(units.begin(), units.end(), same), units.end());
    requests_.request(std::move(units), priority);
}

bool RemoteFile::holds_block(const Wanted& block) const {
    std::vector<std::byte> bytes(block.length_bytes);
    return kept().read(block.offset, bytes);
}

}  // namespace fardel
