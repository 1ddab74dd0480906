// Decoding one block: what readers and the verifier share. docs/bundle-format.md §7.
//
// Takes hostile bytes, even when their hash is right: a frame's form is inspected before libzstd sees it, memory is the
// caller's buffer and one context a thread, time is linear in both sizes.
#pragma once

#include <fardel/format/manifest.h>
#include <fardel/format/result.h>

#include <cstddef>
#include <span>
#include <string>

namespace fardel {

// Fills `out`, whose size is the block's raw bytes, whole. Any thread. Its contents are unspecified on failure.
// Errors: malformed (not exactly the one frame that the format demands, or one that does not decode to `out`),
// unsupported (a codec of a later version).
Status decode_block(Codec codec, std::span<const std::byte> stored, std::span<std::byte> out);

// Everything that decides how the writer encodes a block, in words: blocks that were made under the same are the same.
std::string encoder_name(int level);

}  // namespace fardel
