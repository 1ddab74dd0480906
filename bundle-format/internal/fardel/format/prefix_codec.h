// Bytes as one zstd frame that refers to other bytes, its prefix, which whoever decodes it must have.
//
// For differences between bundles. The prefix and the bytes are in memory, at most kPrefixedBytesMax together.
#pragma once

#include <fardel/base/result.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

struct ZSTD_DCtx_s;

namespace fardel {

inline constexpr std::size_t kPrefixedBytesMax = std::size_t{64} << 20;
inline constexpr int kPrefixLevelMax = 22;

// `level`: 1–kPrefixLevelMax. The highest ones need up to 700 MB for the largest inputs. `search_log`: at each
// position, at most 2^search_log earlier ones are compared, 1–30; 0: as many as the level says.
std::vector<std::byte> encode_with_prefix(std::span<const std::byte> prefix, std::span<const std::byte> raw, int level,
                                          int search_log = 0);

// A decoder is reused from frame to frame, by one thread at a time.
class PrefixDecoder {
public:
    // Fills the whole of `out`. The frame is hostile; the contents of `out` are unspecified on failure. Error:
    // malformed (not one frame that decodes to exactly as many bytes).
    Status decode(std::span<const std::byte> prefix, std::span<const std::byte> frame, std::span<std::byte> out);

private:
    struct Free {
        void operator()(ZSTD_DCtx_s* context) const noexcept;
    };
    std::unique_ptr<ZSTD_DCtx_s, Free> context_;
};

}  // namespace fardel
