// Content types of assets, determined from the name and the first bytes. Pure; any thread; the bytes may be hostile.
//
// docs/packing.md has the table. Formats whose signature cannot be mistaken are recognised by it, whatever the
// extension claims; all others by their extension, in upper or lower case; the rest is application/octet-stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace fardel {

// How many of the first bytes content_type() looks at.
inline constexpr std::size_t kContentHeadBytes = 64;

// `head` is the first kContentHeadBytes of the file, or all of a shorter file. The result has static storage.
std::string_view content_type(std::string_view name, std::span<const std::byte> head);

// Whether assets of this type are read from front to back. They are then stored in larger blocks, which compress better
// and decode faster: all video, audio longer than one such block, and images that would not share a block anyway.
bool is_streamed(std::string_view type, std::uint64_t size_bytes);

}  // namespace fardel
