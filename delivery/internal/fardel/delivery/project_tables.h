// How the tables of a root that a server of a project shows come to a device: as one frame against the tables of the
// root that the device has. docs/serving.md has the bytes. Both sides are hostile, and the answer is only a hint, whose
// every page is compared when it is read.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace fardel {

// Below the tree.
inline constexpr std::string_view kProjectHeadPath = "project/head";
inline constexpr std::string_view kProjectTablesPath = "project/tables";

inline constexpr std::size_t kProjectQuestionBytes = 64;  // the root that is wanted, and the one that is held or zeros
inline constexpr std::size_t kProjectImageBytesMax = 32u << 20;  // larger tables come page by page

// Heads, manifest and layout of a bundle without signatures, as one row of bytes. Errors: limit, those of the source,
// malformed (what is there is no bundle).
Result<std::vector<std::byte>> read_project_image(const ByteSource& bundle);

// `held`: the image of the root that the device has; empty: the answer needs none.
std::vector<std::byte> encode_project_tables(std::span<const std::byte> held, std::span<const std::byte> image);
// Returns an image that begins with the heads of `root`. Nothing else of it is compared. Errors: malformed, limit,
// corrupt (another bundle).
Result<std::vector<std::byte>> decode_project_tables(const BundleId& root, std::span<const std::byte> held,
                                                     std::span<const std::byte> answer);

// Calls `place` with each part of an image that decode_project_tables() returned, and its offset in the bundle file.
Status place_project_image(std::span<const std::byte> image,
                           const std::function<Status(std::uint64_t offset, std::span<const std::byte>)>& place);
// Of such an image.
std::uint64_t project_file_bytes(std::span<const std::byte> image);

}  // namespace fardel
