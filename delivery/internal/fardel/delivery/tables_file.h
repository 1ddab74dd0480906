// The compressed tables of a bundle, as they stand beside it in a static tree: manifest, layout and trailer, in this
// order, as one zstd frame. What does not come as such a file comes as ranges of the bundle file.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/unit_transfer.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/head.h>
#include <fardel/http/range_client.h>
#include <fardel/store/incoming_bundle.h>

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

inline constexpr std::uint64_t kTableUnitBytes = 1u << 20;

struct FileSection {
    std::uint64_t offset = 0;
    std::uint64_t length_bytes = 0;
};

// Everything in the bundle file except heads and blocks. The heads have passed verify_sections().
using TableSections = std::array<FileSection, 3>;
TableSections table_sections(const BundleHead& head, const LayoutHead& layout, std::uint64_t file_bytes) noexcept;
std::uint64_t bytes_of(const TableSections& sections) noexcept;

// Adds the parts of a range, of at most kTableUnitBytes, that the incoming bundle does not hold.
void add_missing_units(std::vector<FetchUnit>& units, const IncomingBundle& incoming, std::uint64_t offset,
                       std::uint64_t length_bytes);

// Passes the compressed sections to `receive`, in pieces.
Status encode_tables(const ByteSource& file, const TableSections& sections,
                     const std::function<Status(std::span<const std::byte>)>& receive);

// Writes what such a file decodes to, as far as it does, into the incoming bundle, which has nothing of the sections
// yet. Errors: those of IncomingBundle::write.
Status decode_tables(std::span<const std::byte> frame, const TableSections& sections, IncomingBundle& incoming);

// Fetches such a file from the first of the servers that sends any of it, and writes what it decodes to into the
// incoming bundle, which has nothing of the sections yet. At most as many bytes as the sections have are received, and
// at most as many written. Nothing that a server does is an error here: the caller looks what is held afterwards, and
// compares it with the heads. Errors: cancelled, and those of IncomingBundle::write.
Status fetch_tables_file(RangeClient& client, const std::vector<std::string>& urls, const TableSections& sections,
                         IncomingBundle& incoming, const std::stop_token& stop, TransferCounts& counts);

}  // namespace fardel
