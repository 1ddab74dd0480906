#include "page_tree.h"

#include <fardel/base/fits.h>
#include <fardel/base/little_endian.h>
#include <fardel/base/threads.h>
#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <type_traits>

namespace fardel {
namespace {

constexpr std::uint64_t kPage = limits::kPageBytes;

void append(std::vector<std::byte>& hashes, const Hash& hash) {
    const auto bytes = std::as_bytes(std::span(hash.bytes));
    hashes.insert(hashes.end(), bytes.begin(), bytes.end());
}

std::uint64_t page_count(std::uint64_t bytes) { return (bytes + kPage - 1) / kPage; }

std::span<const std::byte> page_of(std::span<const std::byte> level, std::uint64_t index) {
    return level.subspan(in_memory(index * kPage), in_memory(std::min(kPage, level.size() - index * kPage)));
}

}  // namespace

Hash page_hash(TableKind kind, std::uint32_t level, std::uint64_t index, std::uint64_t table_bytes,
               std::span<const std::byte> page) noexcept {
    std::array<std::byte, 32> key;
    std::memcpy(key.data(), "FARDELPG", 8);
    store_le(key.data() + 8, static_cast<std::uint32_t>(kind));
    store_le(key.data() + 12, level);
    store_le(key.data() + 16, index);
    store_le(key.data() + 24, table_bytes);
    return blake3_keyed(key, page);
}

std::vector<PageLevel> page_levels(std::uint64_t section_offset, const TableEntry& table) {
    std::vector<PageLevel> levels{{.offset = section_offset + table.offset, .length_bytes = table.length_bytes}};
    while (levels.back().length_bytes > kPage) {
        const PageLevel& below = levels.back();
        levels.push_back({.offset = below.offset + align_up(below.length_bytes, kTableAlign),
                          .length_bytes = page_count(below.length_bytes) * sizeof(Hash)});
    }
    return levels;
}

void PageTreeBuilder::add(std::span<const std::byte> records) {
    for (std::uint64_t page = 0; page < page_count(records.size()); ++page)
        append(hashes_, page_hash(kind_, 0, hashes_.size() / sizeof(Hash), table_bytes_, page_of(records, page)));
}

PageTree PageTreeBuilder::finish() && {
    PageTree tree;
    tree.levels.reserve(in_memory(tree_bytes(table_bytes_)));
    std::vector<std::byte> hashes = std::move(hashes_);
    for (std::uint32_t level = 1; hashes.size() > sizeof(Hash); ++level) {
        tree.levels.insert(tree.levels.end(), hashes.begin(), hashes.end());
        tree.levels.resize(in_memory(align_up(tree.levels.size(), kTableAlign)));
        std::vector<std::byte> above;
        for (std::uint64_t page = 0; page < page_count(hashes.size()); ++page)
            append(above, page_hash(kind_, level, page, table_bytes_, page_of(hashes, page)));
        hashes = std::move(above);
    }
    if (!hashes.empty())
        std::memcpy(tree.root.bytes.data(), hashes.data(), sizeof(Hash));
    return tree;
}

PageTree build_page_tree(TableKind kind, std::span<const std::byte> records) {
    PageTreeBuilder builder(kind, records.size());
    builder.add(records);
    return std::move(builder).finish();
}

Result<PagedTable> PagedTable::open(const ByteSource& source, std::uint64_t section_offset, const TableEntry& entry) {
    PagedTable table;
    table.entry_ = entry;
    table.source_ = &source;
    for (const auto& [offset, length] : page_levels(section_offset, entry)) {
        Level level;
        level.source_offset = offset;
        level.length_bytes = length;
        level.memory = TableMemory(length);
        level.state_memory = TableMemory(page_count(length));
        if (!level.memory.bytes() || !level.state_memory.bytes())
            return Error(ErrorCode::limit, "table " + std::string(table_name(entry.kind)) + ": no memory for " +
                                               std::to_string(length) + " bytes");
        level.bytes = level.memory.bytes();
        // Zeroed bytes become the atomics of absent pages; they are trivially destroyed.
        static_assert(kAbsent == 0 && sizeof(std::atomic<std::uint8_t>) == 1 &&
                      std::is_trivially_destructible_v<std::atomic<std::uint8_t>>);
        level.states = std::launder(reinterpret_cast<std::atomic<std::uint8_t>*>(level.state_memory.bytes()));
        table.levels_.push_back(std::move(level));
    }
    const Level& records = table.levels_.front();
    table.pages_ = VerifiedPages(records.bytes, records.states, records.length_bytes);
    return table;
}

Result<const std::byte*> PagedTable::read_and_touch(std::uint64_t offset, std::uint64_t length) const {
    if (!fits(offset, length, entry_.length_bytes) || levels_.empty())
        return Error(ErrorCode::malformed, "table " + std::string(table_name(entry_.kind)) + ": byte " +
                                               std::to_string(offset) + " + " + std::to_string(length) +
                                               " is outside its " + std::to_string(entry_.length_bytes) + " bytes");
    for (std::uint64_t page = offset / kPage; page * kPage < offset + length; ++page)
        FARDEL_TRY(ensure_page(0, page));
    return static_cast<const std::byte*>(levels_.front().bytes + offset);
}

Status PagedTable::ensure_page(std::size_t level, std::uint64_t page) const {
    std::atomic<std::uint8_t>& state = levels_[level].states[page];
    for (;;) {
        std::uint8_t seen = state.load(std::memory_order_acquire);
        if (seen == kReady)
            return ok();
        if (seen == kBusy) {
            // Another thread reads this page: it is read and hashed once.
            wait_while(state, kBusy);
            continue;
        }
        if (!state.compare_exchange_strong(seen, kBusy, std::memory_order_acquire))
            continue;
        Status status = read_page(level, page);
        // After an error the page is absent again: a disk or a server may give it the next time.
        state.store(status ? kReady : kAbsent, std::memory_order_release);
        wake_all(state);
        return status;
    }
}

// The page's own hash is in the level above, which is checked first; the hash of the topmost page is the root.
Status PagedTable::read_page(std::size_t level, std::uint64_t page) const {
    const Level& at = levels_[level];
    const std::span<std::byte> bytes(at.bytes + page * kPage,
                                     in_memory(std::min(kPage, at.length_bytes - page * kPage)));
    const Hash* expected = &entry_.root;
    Hash listed;
    if (level + 1 < levels_.size()) {
        FARDEL_TRY(ensure_page(level + 1, page * sizeof(Hash) / kPage));
        std::memcpy(listed.bytes.data(), levels_[level + 1].bytes + page * sizeof(Hash), sizeof(Hash));
        expected = &listed;
    }
    FARDEL_TRY(source_->read_at(at.source_offset + page * kPage, bytes));
    if (page_hash(entry_.kind, static_cast<std::uint32_t>(level), page, entry_.length_bytes, bytes) == *expected)
        return ok();
    return Error(ErrorCode::corrupt, "table " + std::string(table_name(entry_.kind)) + ", page " +
                                         std::to_string(page) + " of level " + std::to_string(level) +
                                         " (file offset " + std::to_string(at.source_offset + page * kPage) +
                                         "): bytes differ from their hash");
}

}  // namespace fardel
