// The compressed tables of a bundle, as they stand beside it in a static tree: manifest, layout and trailer, in this
// order, as one zstd frame. What does not come as such a file comes as ranges of the bundle file.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/unit_transfer.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/head.h>
#include <fardel/format/ids.h>
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

// Fetches such a file from the servers, and writes what it decodes to into the incoming bundle. A transfer that breaks
// off goes on where it was, also in a later attempt: until the sections are there, what has come is kept beside them.
// At most as many bytes as the sections have are received from a server, and at most as many written. Nothing that a
// server does is an error here: the caller looks what is held afterwards, and compares it with the heads. Returns
// whether any of it has come. Errors: cancelled, limit, and those of IncomingBundle.
Result<bool> fetch_tables_file(RangeClient& client, const std::vector<std::string>& urls, const LayoutId& layout,
                               const TableSections& sections, IncomingBundle& incoming, const std::stop_token& stop);

// Whether an attempt has kept a part of such a file that was not found to be wrong.
Result<bool> keeps_tables_file(const LayoutId& layout, IncomingBundle& incoming);
// What has come of such a file turned out to be wrong: no later attempt asks for it.
Status discard_tables_file(const LayoutId& layout, IncomingBundle& incoming);

}  // namespace fardel
