#include "checked_table.h"

#include "sections.h"

#include <fardel/base/fits.h>
#include <fardel/base/little_endian.h>
#include <fardel/format/hash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>

namespace fardel {
namespace {

constexpr std::uint64_t kPage = limits::kPageBytes;
constexpr std::uint64_t kLevelAlign = 64;
constexpr std::uint64_t kReadBytes = 1u << 20;

constexpr std::string_view kKeyStart = "FARDELPG";

// Returns the hash that proves the bytes and the position of a page (docs/bundle-format.md §3). It is implemented a
// second time on purpose: the verifier must find a mistake in the reader's page tree.
Hash page_proof(TableKind kind, std::uint32_t level, std::uint64_t page, std::uint64_t table_bytes,
                std::span<const std::byte> bytes) noexcept {
    std::array<std::byte, 32> key{};
    std::ranges::copy(std::as_bytes(std::span(kKeyStart)), key.begin());
    store_le(&key[8], static_cast<std::uint32_t>(kind));
    store_le(&key[12], level);
    store_le(&key[16], page);
    store_le(&key[24], table_bytes);
    return blake3_keyed(key, bytes);
}

std::uint64_t page_count(std::uint64_t bytes) { return bytes / kPage + (bytes % kPage != 0 ? 1 : 0); }

// "names page 3 (records 768 to 1023, file offset 12288)"
std::string page_location(const TableEntry& entry, std::uint64_t page, std::uint64_t file_offset) {
    const std::uint64_t first = page * kPage / entry.record_bytes;
    const std::uint64_t last = std::min((page + 1) * kPage, entry.length_bytes) / entry.record_bytes - 1;
    return std::string(table_name(entry.kind)) + " page " + std::to_string(page) +
           (entry.kind == TableKind::strings ? " (bytes " : " (records ") + std::to_string(first) + " to " +
           std::to_string(last) + ", file offset " + std::to_string(file_offset) + ")";
}

std::string tree_page_location(const TableEntry& entry, std::uint32_t level, std::uint64_t page) {
    return std::string(table_name(entry.kind)) + " page tree, level " + std::to_string(level) + ", page " +
           std::to_string(page);
}

// One level of the page tree as the file has it. Level 0 is the records.
struct Level {
    std::uint64_t file_offset = 0;  // where the format puts it
    std::uint64_t length_bytes = 0;
    std::vector<std::byte> bytes;           // from its start, as far as the file goes
    std::vector<std::uint64_t> unreadable;  // numbers of pages, ascending
};

std::vector<Level> levels_of(std::uint64_t offset, std::uint64_t length) {
    std::vector<Level> levels;
    for (;;) {
        levels.push_back({offset, length, {}, {}});
        if (length <= kPage)
            return levels;
        offset += align_up(length, kLevelAlign);
        length = page_count(length) * sizeof(Hash);
    }
}

// Reads as much of the level as the file has, and records the pages that cannot be read.
void read_level(const ByteSource& source, Level& level, const std::string& where, VerifyFindings& findings) {
    const std::uint64_t size = source.size_bytes();
    const std::uint64_t here = level.file_offset >= size ? 0 : std::min(level.length_bytes, size - level.file_offset);
    if (!fits_memory(here)) {
        findings.add(VerifierRule::file_unreadable, where,
                     Error(ErrorCode::limit, "it has " + std::to_string(here) +
                                                 " bytes, more than the memory of a program on this processor"));
        return;
    }
    level.bytes.resize(in_memory(here));
    if (here < level.length_bytes)
        findings.add(VerifierRule::file_cut_off, where,
                     "the file has only " + std::to_string(here) + " of its " + std::to_string(level.length_bytes) +
                         " bytes; fetch it again");
    for (std::uint64_t at = 0; at < here; at += kReadBytes) {
        const auto part = std::span(level.bytes).subspan(in_memory(at), in_memory(std::min(kReadBytes, here - at)));
        Status status = source.read_at(level.file_offset + at, part);
        for (std::uint64_t page = 0; !status && page < part.size(); page += kPage) {
            const auto one = part.subspan(in_memory(page), in_memory(std::min(kPage, part.size() - page)));
            // A disk that fails somewhere in a mebibyte fails for one sector: the other pages are still judged.
            Status again = source.read_at(level.file_offset + at + page, one);
            if (again)
                continue;
            findings.add(VerifierRule::page_unreadable, where + ", page " + std::to_string((at + page) / kPage),
                         again.error());
            level.unreadable.push_back((at + page) / kPage);
        }
    }
}

// Returns which pages of `level` match the hashes in the level above, or the root.
std::vector<bool> prove_level(const TableEntry& entry, std::uint32_t number, const Level& level, const Level* above,
                              const std::vector<bool>& above_proved, VerifyFindings& findings) {
    std::vector<bool> proved(in_memory(page_count(level.length_bytes)));
    for (std::size_t page = 0; page < proved.size(); ++page) {
        const std::uint64_t entry_at = page * sizeof(Hash);
        if (above && !above_proved[in_memory(entry_at / kPage)])
            continue;  // reported already for the page above
        const std::uint64_t bytes = std::min(kPage, level.length_bytes - page * kPage);
        if (page * kPage + bytes > level.bytes.size())
            break;  // cut off; reported by read_level()
        if (std::ranges::binary_search(level.unreadable, page))
            continue;  // unreadable; reported by read_level()
        Hash expected = entry.root;
        if (above)
            std::memcpy(expected.bytes.data(), above->bytes.data() + in_memory(entry_at), sizeof(Hash));
        proved[page] =
            page_proof(entry.kind, number, page, entry.length_bytes,
                       std::span(level.bytes).subspan(in_memory(page * kPage), in_memory(bytes))) == expected;
        if (proved[page])
            continue;
        const VerifierRule rule = number == 0 ? VerifierRule::page_damaged : VerifierRule::tree_page_damaged;
        if (findings.is_full(rule))
            findings.count(rule);
        else if (number == 0)
            findings.add(VerifierRule::page_damaged, page_location(entry, page, level.file_offset + page * kPage),
                         "its bytes differ from their hash; the table is damaged here; fetch the file again");
        else
            findings.add(VerifierRule::tree_page_damaged, tree_page_location(entry, number, page),
                         "its bytes differ from their hash, so the pages of records below it cannot be checked");
    }
    return proved;
}

}  // namespace

CheckedTable CheckedTable::read(const ByteSource& source, std::uint64_t section_offset, const TableEntry& entry,
                                VerifyFindings& findings) {
    CheckedTable table;
    table.entry_ = entry;
    const std::string name(table_name(entry.kind));
    if (section_offset > source.size_bytes())
        section_offset = source.size_bytes();  // keeps sums below 2^64; the whole table is cut off then
    std::vector<Level> levels = levels_of(section_offset + entry.offset, entry.length_bytes);

    for (std::size_t number = 0; number < levels.size(); ++number) {
        Level& level = levels[number];
        read_level(source, level, name + (number == 0 ? "" : " page tree, level " + std::to_string(number)), findings);
        const std::uint64_t end = level.file_offset + level.length_bytes;
        check_zeros(source, end, level.file_offset + align_up(level.length_bytes, kLevelAlign), "padding in " + name,
                    findings);
    }

    std::vector<bool> proved;
    // From the root down: a page counts only if the page with its hash was proved.
    for (std::size_t number = levels.size(); number-- > 0;) {
        const Level* above = number + 1 < levels.size() ? &levels[number + 1] : nullptr;
        proved = prove_level(entry, static_cast<std::uint32_t>(number), levels[number], above, proved, findings);
    }
    table.complete_ = std::ranges::find(proved, false) == proved.end();
    table.proved_ = std::move(proved);
    table.bytes_ = std::move(levels.front().bytes);
    return table;
}

std::optional<std::span<const std::byte>> CheckedTable::find_bytes(std::uint64_t offset,
                                                                   std::uint64_t length) const noexcept {
    if (!fits(offset, length, entry_.length_bytes))
        return std::nullopt;
    if (length == 0)
        return std::span<const std::byte>();
    if (!complete_)
        for (std::uint64_t page = offset / kPage; page * kPage < offset + length; ++page)
            if (!proved_[in_memory(page)])
                return std::nullopt;
    return std::span(bytes_).subspan(in_memory(offset), in_memory(length));
}

}  // namespace fardel
