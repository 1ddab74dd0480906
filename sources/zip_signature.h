// The signatures by which a zip is recognised, at either end of it. Input is hostile.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace fardel {

inline constexpr std::size_t kZipEndBytes = 22;  // of the end record, without the comment behind it

// Whether the source begins as a zip does; the rest of it may be broken. Errors: io, corrupt.
Result<bool> begins_like_zip(const ByteSource& source);
// Whether it ends as a zip does; a zip may follow a program that unpacks it. Errors: io, corrupt.
Result<bool> ends_like_zip(const ByteSource& source);

inline constexpr std::uint64_t kBehindZipMax = 1u << 20;  // bytes behind a zip, such as the signature of a program

// The offset of the end record: of the last one whose comment reaches exactly to the end of the file. If there is none:
// of the last one in front of at most kBehindZipMax bytes that is right behind its directory. Errors: io, corrupt.
Result<std::optional<std::uint64_t>> find_zip_end(const ByteSource& source);

}  // namespace fardel
