// The two heads of a bundle file: the head, whose hash is the bundle id, and the layout head, whose hash is the layout
// id. Values and their bytes; no I/O. All input is untrusted until its id is one that the caller trusts.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/format/manifest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

inline constexpr std::uint16_t kFormatMajor = 1;
inline constexpr std::uint16_t kFormatMinor = 0;

inline constexpr std::uint64_t kTableAlign = 64;  // of tables and of the levels of page trees, in their section

using HeadBytes = std::array<std::byte, limits::kHeadBytes>;

// One table: its position in its section, and the root that its pages are checked against.
struct TableEntry {
    TableKind kind{};
    std::uint32_t record_bytes = 0;
    std::uint64_t offset = 0;        // from the start of the section; a multiple of 64
    std::uint64_t length_bytes = 0;  // of the records alone; count × record_bytes
    std::uint64_t count = 0;         // records; bytes for `strings`
    Hash root;
    friend bool operator==(const TableEntry&, const TableEntry&) = default;
};

struct BundleHead {
    std::uint16_t minor = kFormatMinor;
    std::uint64_t optional_flags = 0;  // unknown ones are kept and listed
    std::uint64_t manifest_bytes = 0;
    std::vector<TableEntry> tables;  // strictly increasing kinds; empty tables are left out
    friend bool operator==(const BundleHead&, const BundleHead&) = default;

    const TableEntry* find(TableKind kind) const noexcept;
    std::uint64_t count(TableKind kind) const noexcept;  // records; 0 for an absent table
};

struct CodecVersion {
    Codec codec = Codec::raw;
    std::uint16_t version = 1;
    friend bool operator==(const CodecVersion&, const CodecVersion&) = default;
};

struct LayoutHead {
    std::uint16_t minor = kFormatMinor;
    std::uint64_t optional_flags = 0;
    BundleId bundle;
    std::uint64_t blocks_offset = 0;  // the sections, in the file; multiples of 4096
    std::uint64_t blocks_bytes = 0;
    std::uint64_t manifest_offset = 0;
    std::uint64_t layout_offset = 0;
    std::uint64_t layout_bytes = 0;
    std::uint64_t trailer_offset = 0;  // to the end of the file
    std::vector<CodecVersion> codecs;  // that blocks use, strictly increasing
    std::vector<TableEntry> tables;
    friend bool operator==(const LayoutHead&, const LayoutHead&) = default;

    const TableEntry* find(TableKind kind) const noexcept;
    std::uint64_t count(TableKind kind) const noexcept;  // records; 0 for an absent table
};

// Returns the size of the page tree that follows a table's records; docs/bundle-format.md §3.
std::uint64_t tree_bytes(std::uint64_t length_bytes) noexcept;

// Sets each table's offset, in order, and returns the section's length: for each table its records, then its page tree,
// each padded to 64.
std::uint64_t place_tables(std::span<TableEntry> tables) noexcept;

// Whether the first bytes of a file are those of a bundle; says nothing about the rest.
bool begins_as_bundle(std::span<const std::byte> first) noexcept;

HeadBytes encode_head(const BundleHead& head);
// Errors: malformed (anything not canonical), unsupported (major, required flags, record sizes, unknown tables),
// limit.
Result<BundleHead> decode_head(std::span<const std::byte, limits::kHeadBytes> bytes);
BundleId bundle_id(const HeadBytes& head) noexcept;

HeadBytes encode_layout_head(const LayoutHead& head);
// Errors: those of decode_head. Sections that overlap or leave the file are found by verify_sections.
Result<LayoutHead> decode_layout_head(std::span<const std::byte, limits::kHeadBytes> bytes);
LayoutId layout_id(const HeadBytes& layout_head) noexcept;

// Checks that both heads agree with each other and with the file's size. Errors: malformed, corrupt (the layout belongs
// to another bundle), limit.
Status verify_sections(const BundleHead& head, const BundleId& id, const LayoutHead& layout, std::uint64_t file_bytes);

}  // namespace fardel
