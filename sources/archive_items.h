// What the program fardel-archive prints about an archive: its items, and how reading each file ended.
//
// Decoding: the bytes come from a program that hostile bytes may have taken over, so they are hostile as well. Pure.
#pragma once

#include <fardel/base/result.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct ArchiveItem {
    enum class Kind : std::uint8_t {
        file,
        folder,    // the items of the folder follow it
        bad_name,  // breaks the rules of names; not looked at
        repeated,  // the archive has the name twice
        unreadable
    };
    Kind kind = Kind::file;
    std::string name;               // with its folders
    std::uint64_t size_bytes = 0;   // of a file
    std::optional<Error> reason{};  // of an unreadable item
};

std::vector<std::byte> encode_archive_items(std::span<const ArchiveItem> items);
// Errors: malformed, limit.
Result<std::vector<ArchiveItem>> decode_archive_items(std::span<const std::byte> bytes);

// One per file, in the order of the items: none if the whole file was read.
using ReadFailures = std::vector<std::optional<Error>>;
std::vector<std::byte> encode_read_failures(const ReadFailures& failures);
// Errors: malformed (other than `files` of them), limit.
Result<ReadFailures> decode_read_failures(std::span<const std::byte> bytes, std::size_t files);

// "CODE MESSAGE", on one line.
std::string archive_error_line(const Error& error);
// Returns nothing if the text does not begin with such a line. The message is safe to show.
std::optional<Error> parse_archive_error(std::string_view text);

// Returns the sum of the sizes of all files. Error: limit (more than `bytes_max`).
Result<std::uint64_t> sum_of_files(std::span<const ArchiveItem> items, std::uint64_t bytes_max);

}  // namespace fardel
