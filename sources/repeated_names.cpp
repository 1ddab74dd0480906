#include "repeated_names.h"

#include <fardel/base/fits.h>
#include <fardel/base/little_endian.h>
#include <fardel/base/text_fields.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fardel {
namespace {

constexpr std::uint64_t kDirectoryBytesMax = 64u << 20;

// Records of one size, one behind the other, each with a name that ends at a NUL or with its field.
struct Directory {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::size_t record_bytes = 0;
    std::size_t name_at = 0;  // in a record
    std::size_t name_bytes = 0;
};

std::optional<Directory> locate_directory(std::span<const std::byte, 16> head, std::string_view format) {
    const auto u32 = [&](std::size_t at) { return std::uint64_t{load_le<std::uint32_t>(head.data() + at)}; };
    if (format == "pak")  // "PACK", offset, bytes
        return Directory{u32(4), u32(8), 64, 0, 56};
    if (format == "grp")  // "KenSilverman", count
        return Directory{16, u32(12) * 16, 16, 0, 12};
    if (format == "wad")  // "PWAD", count, offset
        return Directory{u32(8), u32(4) * 16, 16, 8, 8};
    return std::nullopt;
}

// The lumps of a map follow the one with its name, and pictures are between two marks.
bool means_order(std::string_view lump) {
    constexpr std::string_view kLumpsOfMaps[] = {"THINGS", "LINEDEFS", "SIDEDEFS", "TEXTMAP"};
    return lump.ends_with("_START") || lump.ends_with("_END") ||
           std::ranges::find(kLumpsOfMaps, lump) != std::end(kLumpsOfMaps);
}

}  // namespace

Result<ArchiveNames> read_archive_names(const ByteSource& bytes, std::string_view format) {
    ArchiveNames names;
    std::array<std::byte, 16> head{};
    const auto start = std::span(head).first(std::min<std::uint64_t>(head.size(), bytes.size_bytes()));
    FARDEL_TRY(bytes.read_at(0, start));
    const auto directory = locate_directory(head, format);
    if (!directory)
        return names;
    if (!fits(directory->offset, directory->bytes, bytes.size_bytes()))
        return Error(ErrorCode::malformed, "its directory reaches past the end of the file");
    if (directory->bytes > kDirectoryBytesMax)
        return Error(ErrorCode::limit, "a directory of " + std::to_string(directory->bytes) + " bytes, more than " +
                                           std::to_string(kDirectoryBytesMax));
    std::vector<std::byte> records(static_cast<std::size_t>(directory->bytes));
    FARDEL_TRY(bytes.read_at(directory->offset, records));
    for (std::size_t at = 0; at + directory->record_bytes <= records.size(); at += directory->record_bytes) {
        const auto field = std::span<const std::byte>(records).subspan(at + directory->name_at, directory->name_bytes);
        std::string_view name = as_text(field);
        name = name.substr(0, name.find('\0'));
        ++names.counts[std::string(name)];
        names.ordered = names.ordered || (format == "wad" && means_order(name));
    }
    return names;
}

}  // namespace fardel
