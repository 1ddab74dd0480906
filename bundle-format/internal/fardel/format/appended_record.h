// The record at the end of a program behind which there is a bundle (docs/bundle-format.md, 10).
#pragma once

#include <fardel/base/result.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace fardel {

class ByteSource;  // <fardel/format/byte_source.h>

struct AppendedRecord {
    std::uint64_t program_bytes = 0;  // ≥ 1
    std::uint64_t bundle_bytes = 0;   // ≥ 1

    // Of the bundle: as its blocks are aligned in their file, so they are in this one.
    std::uint64_t bundle_offset() const noexcept;
    std::uint64_t file_bytes() const noexcept;
    friend bool operator==(const AppendedRecord&, const AppendedRecord&) = default;
};

inline constexpr std::size_t kAppendedRecordBytes = 32;
inline constexpr std::uint64_t kAppendedBytesMax = std::uint64_t{1} << 62;  // of the program, and of the bundle

std::array<std::byte, kAppendedRecordBytes> encode_appended_record(const AppendedRecord& record);
// `file_bytes`: of the whole file, whose last bytes are given. Nothing: they are no such record. Errors: unsupported (a
// newer version of the format), malformed (it describes a file of another size).
Result<std::optional<AppendedRecord>> find_appended_record(std::span<const std::byte, kAppendedRecordBytes> end,
                                                           std::uint64_t file_bytes);
// The same for a file. Nothing, too: it begins as a bundle does, so it is no program. Additional errors: those of the
// source.
Result<std::optional<AppendedRecord>> find_appended_record(const ByteSource& file);

// The bundle at a path: the file itself, or of a program the bundle behind it. Errors: those of open_file_source and
// open_appended_source; a file that is neither gives its bytes, which no bundle has.
Result<std::shared_ptr<const ByteSource>> open_bundle_source(const std::string& path);

}  // namespace fardel
