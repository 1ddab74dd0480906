// How one block is stored: as it is, or as one zstd frame. docs/bundle-format.md §7.
//
// For the writer, and for those who make blocks again that somebody else has written. Encoding is ours and trusted;
// block_codec.h has decoding.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/block_codec.h>
#include <fardel/format/manifest.h>

#include <cstddef>
#include <memory>
#include <span>

struct ZSTD_CCtx_s;

namespace fardel {

inline constexpr int kLevelMin = 1;
inline constexpr int kLevelMax = 19;

// The largest frame that encode() may need room for.
std::size_t stored_bytes_max(std::size_t raw_bytes) noexcept;

// One context, reused from block to block; one thread at a time. The same bytes in give the same bytes out, whatever
// was encoded before.
class BlockEncoder {
public:
    explicit BlockEncoder(int level);  // kLevelMin–kLevelMax
    ~BlockEncoder();
    BlockEncoder(BlockEncoder&&) noexcept;
    BlockEncoder& operator=(BlockEncoder&&) noexcept;

    // The frame of `raw`, at the start of `out`, which has room for stored_bytes_max; or nothing when it would save
    // less than 1/32, and the block stays raw.
    std::span<const std::byte> encode(std::span<const std::byte> raw, std::span<std::byte> out);

private:
    struct Free {
        void operator()(ZSTD_CCtx_s* context) const noexcept;
    };
    std::unique_ptr<ZSTD_CCtx_s, Free> context_;
};

}  // namespace fardel
