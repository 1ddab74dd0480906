// Asset frames: a file beside a bundle in a static tree that has the assets of its shared blocks one by one. Who has
// the rest of such a block fetches only the asset that it lacks, and encodes the block again. docs/delivery.md gives
// the bytes.
#pragma once

#include "delta/block_parts.h"

#include <fardel/base/result.h>
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

// The path in a static tree, "bundles/<64 digits>.frames".
std::string asset_frames_path_of(const BundleId& bundle);

// Whether these parts, which are all of one block, are whole assets that fill it, and more than one.
Result<bool> is_shared_block(const Bundle& bundle, std::span<const BlockPart> parts);
// Returns the parts that have frames, by block and offset: all of the shared blocks. Errors: those of block_parts().
Result<std::vector<BlockPart>> framed_parts(const Bundle& bundle);

// Returns the file for a bundle whose content can be read; nullptr if no part has a frame. Errors: those of Bundle,
// cancelled.
Result<std::shared_ptr<const ByteSource>> make_asset_frames(const Bundle& bundle, const std::stop_token& stop);

// Returns the size of what precedes the first frame in a file with that many frames.
std::uint64_t frame_index_bytes(std::size_t frames) noexcept;
// Returns where the frames of the parts begin, and where the last one ends. `bytes`: frame_index_bytes() of them.
// Errors: malformed (not such a file, or not for these parts), unsupported (a later version), conflict (for another
// layout).
Result<std::vector<std::uint64_t>> decode_frame_index(std::span<const std::byte> bytes, const LayoutId& layout,
                                                      std::span<const BlockPart> parts);

// Fills `out`, which has the asset's size, and compares it with the id. Errors: malformed, corrupt (another asset).
Status decode_asset_frame(PrefixDecoder& decoder, std::span<const std::byte> frame, const AssetId& id,
                          std::span<std::byte> out);

}  // namespace fardel
