// FrameEncoder, FrameDecoder: any number of bytes as one zstd frame, piece by piece, in bounded memory.
//
// For what is sent or kept beside bundles; blocks have a stricter form (block_codec.h). One thread at a time.
#pragma once

#include <fardel/base/result.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace fardel {

class FrameEncoder {
public:
    // `raw_bytes`: that will be passed to encode() in all.
    explicit FrameEncoder(std::uint64_t raw_bytes);

    // Appends what is ready of the frame to `frame`; all of it when the last of the raw bytes was passed.
    void encode(std::span<const std::byte> raw, std::vector<std::byte>& frame);

private:
    struct Free {
        void operator()(ZSTD_CCtx_s* context) const noexcept;
    };
    std::unique_ptr<ZSTD_CCtx_s, Free> context_;
    std::uint64_t missing_bytes_;
};

// The frame is hostile: whatever it says, no more than `raw_bytes` are decoded, and memory is that of a window of
// 8 MiB. After an error the decoder must not be used.
class FrameDecoder {
public:
    // `raw_bytes`: that the frame must have.
    explicit FrameDecoder(std::uint64_t raw_bytes);

    // Passes decoded bytes to `receive`, in order, in pieces. Errors: malformed (no frame, a frame of another size or
    // with a larger window, bytes after its end), those of `receive`.
    Status decode(std::span<const std::byte> frame, const std::function<Status(std::span<const std::byte>)>& receive);
    bool is_complete() const noexcept { return complete_; }

private:
    struct Free {
        void operator()(ZSTD_DCtx_s* context) const noexcept;
    };
    std::unique_ptr<ZSTD_DCtx_s, Free> context_;
    std::vector<std::byte> buffer_;
    std::uint64_t missing_bytes_;
    bool complete_ = false;
};

}  // namespace fardel
