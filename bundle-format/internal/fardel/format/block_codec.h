// Decodes one block, for readers and the verifier. docs/bundle-format.md §7.
//
// The bytes are hostile even when their hash is right, so a frame's form is inspected before libzstd sees it. Memory is
// the caller's buffer and one context per decoder; time is linear in both sizes.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/manifest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct ZSTD_DCtx_s;

namespace fardel {

// A decoder is reused from block to block, by one thread at a time. It allocates about 150 KiB when it decodes the
// first frame, and as much as a block when that has a filter.
class BlockDecoder {
public:
    // Fills the whole of `out`, whose size is the block's raw size. The contents of `out` are unspecified on failure.
    // Errors: malformed (the bytes are not exactly the one frame or block that the format demands, or it does not
    // decode to `out`), unsupported (a codec of a later version).
    Status decode(Codec codec, std::span<const std::byte> stored, std::span<std::byte> out);

private:
    struct Free {
        void operator()(ZSTD_DCtx_s* context) const noexcept;
    };
    Status decode_unfiltered(Codec codec, std::span<const std::byte> stored, std::span<std::byte> out);
    Status decode_zstd(std::span<const std::byte> stored, std::span<std::byte> out);

    std::unique_ptr<ZSTD_DCtx_s, Free> context_;
    std::vector<std::byte> filtered_;
};

// How a writer encodes blocks that do not stay raw.
struct BlockEncoding {
    Codec codec = Codec::zstd;  // or lz4; either with a filter
    int level = 0;              // of zstd; with lz4, of the blocks that zstd makes much smaller
};

// Describes in words everything that determines how the writer encodes a block. Two encoders with the same name produce
// the same bytes.
std::string encoder_name(const BlockEncoding& encoding);

}  // namespace fardel
