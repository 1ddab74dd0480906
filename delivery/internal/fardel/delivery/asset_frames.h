// Asset frames: a file beside a bundle in a static tree that has the assets of its shared blocks one by one. Who has
// the rest of such a block fetches only the asset that it lacks, and encodes the block again. docs/delivery.md gives
// the bytes.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/block_parts.h>
#include <fardel/format/bundle.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>
#include <fardel/format/prefix_codec.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

// Whether these parts, which are all of one block, are whole assets that fill it, and more than one.
Result<bool> is_shared_block(const Bundle& bundle, std::span<const BlockPart> parts);
// Returns the parts that have frames, by block and offset: all of the shared blocks. Errors: those of block_parts().
Result<std::vector<BlockPart>> framed_parts(const Bundle& bundle);

// The index at the beginning of the file: how long the frame of each part is.
std::uint64_t frame_index_bytes(std::size_t frames) noexcept;
std::vector<std::byte> encode_frame_index(const LayoutId& layout, std::span<const std::uint32_t> sizes);
// Returns where the frames of the parts begin, and where the last one ends. `bytes`: frame_index_bytes() of them.
// Errors: malformed (not such a file, or not for these parts), unsupported (a later version), conflict (for another
// layout).
Result<std::vector<std::uint64_t>> decode_frame_index(std::span<const std::byte> bytes, const LayoutId& layout,
                                                      std::span<const BlockPart> parts);

// Fills `out`, which has the asset's size, and compares it with the id. Errors: malformed, corrupt (another asset).
Status decode_asset_frame(PrefixDecoder& decoder, std::span<const std::byte> frame, const AssetId& id,
                          std::span<std::byte> out);

}  // namespace fardel
