#include <fardel/format/prefix_codec.h>

#include "row_search.h"

#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <new>
#include <string>
#include <utility>

namespace fardel {
namespace {

constexpr unsigned kWindowLogMin = 10;
constexpr unsigned kWindowLogMax = 27;

Error refused_prefixed(std::string reason) {
    return Error(ErrorCode::malformed, "zstd frame with a prefix: " + std::move(reason));
}

struct FreeEncoder {
    void operator()(ZSTD_CCtx* context) const noexcept { ZSTD_freeCCtx(context); }
};

}  // namespace

std::vector<std::byte> encode_with_prefix(std::span<const std::byte> prefix, std::span<const std::byte> raw, int level,
                                          int search_log) {
    assert(prefix.size() + raw.size() <= kPrefixedBytesMax && level >= 1 && level <= kPrefixLevelMax);
    const std::unique_ptr<ZSTD_CCtx, FreeEncoder> context(ZSTD_createCCtx());
    if (!context)
        throw std::bad_alloc();
    const auto set = [&](ZSTD_cParameter parameter, int value) {
        [[maybe_unused]] const std::size_t result = ZSTD_CCtx_setParameter(context.get(), parameter, value);
        assert(!ZSTD_isError(result));
    };
    const auto window_log = static_cast<unsigned>(std::bit_width(prefix.size() + raw.size()));
    set(ZSTD_c_compressionLevel, level);
    set(ZSTD_c_searchLog, search_log);
    // All of the prefix stays in reach, and in the tables that find it.
    set(ZSTD_c_windowLog, static_cast<int>(std::clamp(window_log, kWindowLogMin, kWindowLogMax)));
    set(ZSTD_c_enableLongDistanceMatching, 1);
    set(ZSTD_c_checksumFlag, 0);
    choose_row_search(context.get(), prefix.size() + raw.size());
    ZSTD_CCtx_refPrefix(context.get(), prefix.data(), prefix.size());
    std::vector<std::byte> frame(ZSTD_compressBound(raw.size()));
    const std::size_t frame_bytes = ZSTD_compress2(context.get(), frame.data(), frame.size(), raw.data(), raw.size());
    if (ZSTD_isError(frame_bytes))
        throw std::bad_alloc();  // its only failure here
    frame.resize(frame_bytes);
    return frame;
}

void PrefixDecoder::Free::operator()(ZSTD_DCtx_s* context) const noexcept { ZSTD_freeDCtx(context); }

Status PrefixDecoder::decode(std::span<const std::byte> prefix, std::span<const std::byte> frame,
                             std::span<std::byte> out) {
    if (!context_)
        context_.reset(ZSTD_createDCtx());
    if (!context_)
        throw std::bad_alloc();
    const std::size_t frame_bytes = ZSTD_findFrameCompressedSize(frame.data(), frame.size());
    if (ZSTD_isError(frame_bytes) || frame_bytes != frame.size())
        return refused_prefixed("not exactly one frame");
    if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != out.size())
        return refused_prefixed("does not hold " + std::to_string(out.size()) + " bytes");
    ZSTD_DCtx_refPrefix(context_.get(), prefix.data(), prefix.size());
    const std::size_t raw_bytes =
        ZSTD_decompressDCtx(context_.get(), out.data(), out.size(), frame.data(), frame.size());
    if (ZSTD_isError(raw_bytes)) {
        context_.reset();
        return refused_prefixed(ZSTD_getErrorName(raw_bytes));
    }
    return raw_bytes == out.size() ? ok() : refused_prefixed("ends early");
}

}  // namespace fardel
