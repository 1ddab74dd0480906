// Decoding one block: what readers and the verifier share. docs/bundle-format.md §7.
//
// Takes hostile bytes, even when their hash is right: a frame's form is inspected before libzstd sees it, memory is the
// caller's buffer and one context per decoder, time is linear in both sizes.
#pragma once

#include <fardel/format/manifest.h>
#include <fardel/format/result.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

struct ZSTD_DCtx_s;

namespace fardel {

// Reused from block to block; one thread at a time. About 150 KiB, allocated when the first frame is decoded.
class BlockDecoder {
public:
    // Fills `out`, whose size is the block's raw bytes, whole. Its contents are unspecified on failure.
    // Errors: malformed (not exactly the one frame that the format demands, or one that does not decode to `out`),
    // unsupported (a codec of a later version).
    Status decode(Codec codec, std::span<const std::byte> stored, std::span<std::byte> out);

private:
    struct Free {
        void operator()(ZSTD_DCtx_s* context) const noexcept;
    };
    Status decode_zstd(std::span<const std::byte> stored, std::span<std::byte> out);

    std::unique_ptr<ZSTD_DCtx_s, Free> context_;
};

// Everything that decides how the writer encodes a block, in words: blocks that were encoded under the same name are
// the same.
std::string encoder_name(int level);

}  // namespace fardel
