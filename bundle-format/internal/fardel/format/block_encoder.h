// How one block is stored: as it is, as one zstd frame, or as one LZ4 block. docs/bundle-format.md §7.
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
#include <vector>

struct ZSTD_CCtx_s;

namespace fardel {

inline constexpr int kLevelMin = 1;  // zstd's; LZ4 has one
inline constexpr int kLevelMax = 19;

// The room that encode() may need.
std::size_t stored_bytes_max(std::size_t raw_bytes) noexcept;

// A context per codec, reused from block to block; one thread at a time. The same bytes in give the same bytes out,
// whatever was encoded before.
class BlockEncoder {
public:
    BlockEncoder();
    ~BlockEncoder();
    BlockEncoder(BlockEncoder&&) noexcept;
    BlockEncoder& operator=(BlockEncoder&&) noexcept;

    // The same encoding with the filter that saves most of these bytes, found by trying each on a sample of them; with
    // none if none saves 1/32.
    BlockEncoding choose_filter(const BlockEncoding& encoding, std::span<const std::byte> raw);

    struct Encoded {
        Codec codec = Codec::raw;           // raw: `stored` are the raw bytes
        std::span<const std::byte> stored;  // otherwise at the start of `out`
    };
    // How a bundle stores `raw`: with the best filter; and in place of LZ4 with zstd, if that saves 17 % more of the
    // raw bytes. `out` is as for encode().
    Encoded encode_best(const BlockEncoding& encoding, std::span<const std::byte> raw, std::span<std::byte> out);

    // `raw` as the codec, not Codec::raw, stores it, at the start of `out`, which has room for stored_bytes_max; or
    // nothing when it would save less than 1/32, and the block stays raw. At level 0, zstd encodes nothing.
    std::span<const std::byte> encode(const BlockEncoding& encoding, std::span<const std::byte> raw,
                                      std::span<std::byte> out);

private:
    struct Free {
        void operator()(ZSTD_CCtx_s* context) const noexcept;
    };
    using Context = std::unique_ptr<ZSTD_CCtx_s, Free>;
    static Context create_context();
    std::size_t encode_zstd(const BlockEncoding& encoding, std::span<const std::byte> from, std::span<std::byte> out);
    std::size_t encode_lz4(std::span<const std::byte> raw, std::span<std::byte> out);
    std::size_t try_on(Codec codec, std::span<const std::byte> sample);

    Context zstd_;  // each from its first block on
    std::vector<std::byte> lz4_;
    std::vector<std::byte> zstd_room_;  // of encode_best()
    std::vector<std::byte> filtered_;
    Context quick_;  // of try_on
    std::vector<std::byte> tried_;
};

}  // namespace fardel
