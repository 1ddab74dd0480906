#include <fardel/format/frame_codec.h>

#include "row_search.h"

#include <zstd.h>

#include <cassert>
#include <new>
#include <string>
#include <utility>

namespace fardel {
namespace {

constexpr int kFrameLevel = 12;
constexpr int kFrameWindowLog = 23;

Error refused_frame(std::string reason) { return Error(ErrorCode::malformed, "zstd frame: " + std::move(reason)); }

}  // namespace

void FrameEncoder::Free::operator()(ZSTD_CCtx_s* context) const noexcept { ZSTD_freeCCtx(context); }

FrameEncoder::FrameEncoder(std::uint64_t raw_bytes) : context_(ZSTD_createCCtx()), missing_bytes_(raw_bytes) {
    if (!context_)
        throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kFrameLevel);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_windowLog, kFrameWindowLog);
    choose_row_search(context_.get(), raw_bytes);
    ZSTD_CCtx_setPledgedSrcSize(context_.get(), raw_bytes);
}

void FrameEncoder::encode(std::span<const std::byte> raw, std::vector<std::byte>& frame) {
    assert(raw.size() <= missing_bytes_);
    missing_bytes_ -= raw.size();
    const ZSTD_EndDirective directive = missing_bytes_ == 0 ? ZSTD_e_end : ZSTD_e_continue;
    ZSTD_inBuffer in{raw.data(), raw.size(), 0};
    for (std::size_t left = 1; in.pos < in.size || (directive == ZSTD_e_end && left != 0);) {
        const std::size_t before = frame.size();
        frame.resize(before + ZSTD_CStreamOutSize());
        ZSTD_outBuffer out{frame.data() + before, frame.size() - before, 0};
        left = ZSTD_compressStream2(context_.get(), &out, &in, directive);
        if (ZSTD_isError(left))
            throw std::bad_alloc();  // its only failure here
        frame.resize(before + out.pos);
    }
}

void FrameDecoder::Free::operator()(ZSTD_DCtx_s* context) const noexcept { ZSTD_freeDCtx(context); }

FrameDecoder::FrameDecoder(std::uint64_t raw_bytes)
    : context_(ZSTD_createDCtx()), buffer_(ZSTD_DStreamOutSize()), missing_bytes_(raw_bytes) {
    if (!context_)
        throw std::bad_alloc();
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kFrameWindowLog);
}

Status FrameDecoder::decode(std::span<const std::byte> frame,
                            const std::function<Status(std::span<const std::byte>)>& receive) {
    ZSTD_inBuffer in{frame.data(), frame.size(), 0};
    for (bool more = true; !complete_ && more;) {
        ZSTD_outBuffer out{buffer_.data(), buffer_.size(), 0};
        const std::size_t left = ZSTD_decompressStream(context_.get(), &out, &in);
        if (ZSTD_isError(left))
            return refused_frame(ZSTD_getErrorName(left));
        // A frame of some bytes may decode to terabytes.
        if (out.pos > missing_bytes_)
            return refused_frame("more bytes than expected");
        missing_bytes_ -= out.pos;
        if (out.pos != 0)
            FARDEL_TRY(receive(std::span<const std::byte>(buffer_).first(out.pos)));
        complete_ = left == 0;
        more = in.pos < in.size || out.pos == out.size;
    }
    if (complete_ && missing_bytes_ != 0)
        return refused_frame(std::to_string(missing_bytes_) + " bytes fewer than expected");
    if (in.pos < in.size)
        return refused_frame("bytes after its end");
    return ok();
}

}  // namespace fardel
