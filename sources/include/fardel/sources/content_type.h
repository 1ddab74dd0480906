// Content types: what an asset is, told from its name and its first bytes. Pure; any thread; the bytes may be hostile.
//
// The table is in docs/packing.md. Formats with a signature that cannot be mistaken are known by it, whatever their
// extension claims; all others by extension, in any case; the rest is application/octet-stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace fardel {

// More of a file than this content_type does not look at.
inline constexpr std::size_t kContentHeadBytes = 64;

// `head`: the first bytes, fewer than kContentHeadBytes only if there are no more. The result lives for ever.
std::string_view content_type(std::string_view name, std::span<const std::byte> head);

// Whether such an asset is read from front to back, and so is stored in larger pieces, which are smaller in all and
// faster to decode: video, audio that is longer than one such piece, and images that would not share a block anyway.
bool is_streamed(std::string_view type, std::uint64_t size_bytes);

}  // namespace fardel
