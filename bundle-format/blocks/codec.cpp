#include <fardel/format/block_encoder.h>

#include "block_filter.h"
#include "filter_sample.h"
#include "row_search.h"

#include <fardel/base/little_endian.h>
#include <fardel/format/limits.h>

#include <lz4.h>
#include <lz4hc.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint32_t kFrameMagic = 0xfd2f'b528;          // RFC 8878 §3.1.1
constexpr std::uint64_t kSkippableMagicMask = 0xffff'fff0;  // §3.1.2
constexpr std::uint64_t kSkippableMagic = 0x184d'2a50;
constexpr std::size_t kFrameBytesMin = 5;  // magic and descriptor

// 10 takes half the time for half a per cent more bytes, 12 gives no fewer. Decoding takes the same time at all.
constexpr int kLz4Level = 11;

// What zstd has to save beyond LZ4, of the raw bytes, where blocks are to be read fast: decoding takes four times as
// long. One of fifteen blocks of a game is such, most of them of pictures (docs/performance.md).
constexpr std::size_t kZstdSavesPercent = 17;

Error refused(std::string reason) { return Error(ErrorCode::malformed, "zstd frame: " + std::move(reason)); }

// RFC 8878 §3.1.1.1.1, from the highest bit.
struct FrameDescriptor {
    explicit FrameDescriptor(std::uint8_t byte) noexcept
        : content_size_flag(byte >> 6),
          single_segment((byte >> 5 & 1) != 0),
          reserved((byte >> 3 & 3) != 0),
          checksum((byte >> 2 & 1) != 0),
          dictionary((byte & 3) != 0) {}

    unsigned content_size_flag;
    bool single_segment;
    bool reserved;  // the reserved and the unused bit: an encoder leaves both 0
    bool checksum;
    bool dictionary;

    // 0: the frame does not state its content size.
    std::size_t content_size_bytes() const noexcept {
        if (content_size_flag == 0)
            return single_segment ? 1 : 0;
        return std::size_t{1} << content_size_flag;
    }
};

// §3.1.1.1.2. At most 3.75 TiB: no overflow.
std::uint64_t window_bytes(std::uint8_t descriptor) noexcept {
    const std::uint64_t base = std::uint64_t{1} << (10 + (descriptor >> 3));
    return base + base / 8 * (descriptor & 7);
}

// §3.1.1.1.4.
std::uint64_t load_content_size(const std::byte* from, std::size_t size_bytes) noexcept {
    switch (size_bytes) {
        case 1: return load_le<std::uint8_t>(from);
        case 2: return load_le<std::uint16_t>(from) + 256u;
        case 4: return load_le<std::uint32_t>(from);
        default: return load_le<std::uint64_t>(from);
    }
}

// Refuses everything that could make a decoder allocate, skip, go on or stop early (tests/ATTACKS.md, A40 to A42).
Status verify_frame(std::span<const std::byte> stored, std::uint64_t raw_bytes) {
    if (stored.size() < kFrameBytesMin)
        return refused("only " + std::to_string(stored.size()) + " bytes");
    const auto magic = load_le<std::uint32_t>(stored.data());
    if ((magic & kSkippableMagicMask) == kSkippableMagic)
        return refused("a skippable frame");
    if (magic != kFrameMagic)
        return refused("wrong magic number");

    const FrameDescriptor descriptor(load_le<std::uint8_t>(stored.data() + 4));
    if (descriptor.reserved)
        return refused("a reserved bit is set");
    if (descriptor.checksum)
        return refused("has a checksum");
    if (descriptor.dictionary)
        return refused("asks for a dictionary");
    if (descriptor.content_size_bytes() == 0)
        return refused("does not state its content size");

    const std::size_t header_bytes =
        kFrameBytesMin + (descriptor.single_segment ? 0 : 1) + descriptor.content_size_bytes();
    if (stored.size() < header_bytes)
        return refused("ends inside its header");
    if (!descriptor.single_segment) {
        const std::uint64_t window = window_bytes(load_le<std::uint8_t>(stored.data() + kFrameBytesMin));
        // A decoder allocates the window, whatever the frame decodes to.
        if (window > raw_bytes)
            return refused("a window of " + std::to_string(window) + " bytes for a block of " +
                           std::to_string(raw_bytes));
    }
    const std::size_t size_bytes = descriptor.content_size_bytes();
    const std::uint64_t content = load_content_size(stored.data() + header_bytes - size_bytes, size_bytes);
    if (content != raw_bytes)
        return refused("holds " + std::to_string(content) + " bytes, the block " + std::to_string(raw_bytes));

    const std::size_t frame_bytes = ZSTD_findFrameCompressedSize(stored.data(), stored.size());
    if (ZSTD_isError(frame_bytes))
        return refused(ZSTD_getErrorName(frame_bytes));
    // Bytes behind the frame would be a second form of the same block, and nothing would read them.
    if (frame_bytes != stored.size())
        return refused(std::to_string(stored.size() - frame_bytes) + " bytes behind its end");
    return ok();
}

Status decode_raw(std::span<const std::byte> stored, std::span<std::byte> out) {
    if (stored.size() != out.size())
        return Error(ErrorCode::malformed, "raw block: stored as " + std::to_string(stored.size()) +
                                               " bytes, but has " + std::to_string(out.size()));
    if (!out.empty())
        std::memcpy(out.data(), stored.data(), out.size());
    return ok();
}

// LZ4's block format has no header: what it decodes to is known from the block's record alone. liblz4 reads all of the
// stored bytes or fails, and writes nothing beyond `out`.
Status decode_lz4(std::span<const std::byte> stored, std::span<std::byte> out) {
    const auto failed = [](const std::string& reason) { return Error(ErrorCode::malformed, "LZ4 block: " + reason); };
    if (stored.empty() || stored.size() >= out.size() || out.size() > limits::kBlockBytesMax)
        return failed(std::to_string(stored.size()) + " bytes for a block of " + std::to_string(out.size()));
    const int raw_bytes =
        LZ4_decompress_safe(reinterpret_cast<const char*>(stored.data()), reinterpret_cast<char*>(out.data()),
                            static_cast<int>(stored.size()), static_cast<int>(out.size()));
    if (raw_bytes < 0)
        return failed("its bytes are damaged");
    if (static_cast<std::size_t>(raw_bytes) != out.size())
        return failed("decodes to " + std::to_string(raw_bytes) + " bytes, the block has " +
                      std::to_string(out.size()));
    return ok();
}

void set_parameter(ZSTD_CCtx* context, ZSTD_cParameter parameter, int value) {
    [[maybe_unused]] const std::size_t result = ZSTD_CCtx_setParameter(context, parameter, value);
    assert(!ZSTD_isError(result));
}

// Bytes behind a filter have few long matches and gain nothing from short ones, so that the level for others searches
// long for nothing. This takes half the time, and a game is 0.2 % larger (docs/performance.md).
constexpr int kFilteredMatchMin = 6;
constexpr int kQuickerLevels = 4;
constexpr int kQuickerFrom = 5, kQuickerTo = 12;  // those at which zstd searches for matches one at a time

}  // namespace

std::size_t stored_bytes_max(std::size_t raw_bytes) noexcept {
    return std::max<std::size_t>(ZSTD_compressBound(raw_bytes), LZ4_COMPRESSBOUND(raw_bytes));
}

// ---- Encoding -------------------------------------------------------------------------------------------------------

void BlockEncoder::Free::operator()(ZSTD_CCtx_s* context) const noexcept { ZSTD_freeCCtx(context); }

BlockEncoder::BlockEncoder() = default;
BlockEncoder::~BlockEncoder() = default;
BlockEncoder::BlockEncoder(BlockEncoder&&) noexcept = default;
BlockEncoder& BlockEncoder::operator=(BlockEncoder&&) noexcept = default;

std::span<const std::byte> BlockEncoder::encode(const BlockEncoding& encoding, std::span<const std::byte> raw,
                                                std::span<std::byte> out) {
    assert(raw.size() <= limits::kBlockBytesMax && out.size() >= stored_bytes_max(raw.size()));
    assert(is_known(encoding.codec) && encoding.codec != Codec::raw);
    std::span<const std::byte> from = raw;
    if (const Filter filter = filter_of(encoding.codec); filter != Filter::none) {
        filtered_.resize(raw.size());
        apply_filter(filter, raw, filtered_);
        from = filtered_;
    }
    const std::size_t stored_bytes =
        without_filter(encoding.codec) == Codec::zstd ? encode_zstd(encoding, from, out) : encode_lz4(from, out);
    // Less than 1/32 saved is not worth decoding it at each read.
    const bool worthwhile = stored_bytes < raw.size() && (raw.size() - stored_bytes) * 32 >= raw.size();
    return worthwhile ? out.first(stored_bytes) : std::span<std::byte>();
}

BlockEncoder::Encoded BlockEncoder::encode_best(const BlockEncoding& encoding, std::span<const std::byte> raw,
                                                std::span<std::byte> out) {
    const auto encoded = [&](const BlockEncoding& wanted, std::span<std::byte> room) -> Encoded {
        const BlockEncoding chosen = choose_filter(wanted, raw);
        const std::span<const std::byte> stored = encode(chosen, raw, room);
        return stored.empty() ? Encoded{.stored = raw} : Encoded{.codec = chosen.codec, .stored = stored};
    };
    const Encoded first = encoded(encoding, out);
    const std::size_t worthwhile_bytes = raw.size() * kZstdSavesPercent / 100;
    if (encoding.codec != Codec::lz4 || first.stored.size() <= worthwhile_bytes)
        return first;
    zstd_room_.resize(stored_bytes_max(raw.size()));
    const Encoded second = encoded({.codec = Codec::zstd, .level = encoding.level}, zstd_room_);
    if (second.codec == Codec::raw || second.stored.size() + worthwhile_bytes > first.stored.size())
        return first;
    std::ranges::copy(second.stored, out.begin());
    return {.codec = second.codec, .stored = out.first(second.stored.size())};
}

BlockEncoder::Context BlockEncoder::create_context() {
    Context context(ZSTD_createCCtx());
    if (!context)
        throw std::bad_alloc();
    // What verify_frame demands; the window then is the content itself ("single segment").
    set_parameter(context.get(), ZSTD_c_contentSizeFlag, 1);
    set_parameter(context.get(), ZSTD_c_checksumFlag, 0);
    set_parameter(context.get(), ZSTD_c_dictIDFlag, 0);
    return context;
}

std::size_t BlockEncoder::encode_zstd(const BlockEncoding& encoding, std::span<const std::byte> from,
                                      std::span<std::byte> out) {
    assert(encoding.level >= 0 && encoding.level <= kLevelMax);
    if (encoding.level == 0)
        return from.size();
    if (!zstd_)
        zstd_ = create_context();
    const bool is_quicker =
        filter_of(encoding.codec) != Filter::none && encoding.level >= kQuickerFrom && encoding.level <= kQuickerTo;
    const int level = is_quicker ? std::max(encoding.level - kQuickerLevels, kQuickerFrom) : encoding.level;
    set_parameter(zstd_.get(), ZSTD_c_compressionLevel, level);
    set_parameter(zstd_.get(), ZSTD_c_minMatch, is_quicker ? kFilteredMatchMin : 0);  // 0: the level's
    choose_row_search(zstd_.get(), from.size());
    const std::size_t frame_bytes = ZSTD_compress2(zstd_.get(), out.data(), out.size(), from.data(), from.size());
    if (ZSTD_isError(frame_bytes))
        throw std::bad_alloc();  // its only failure here
    return frame_bytes;
}

BlockEncoding BlockEncoder::choose_filter(const BlockEncoding& encoding, std::span<const std::byte> raw) {
    BlockEncoding best = encoding;
    FilterSample sample(raw);
    if ((encoding.codec == Codec::zstd && encoding.level == 0) || sample.is_text())
        return best;
    const std::size_t unfiltered_bytes = try_on(encoding.codec, sample.filtered(Filter::none));
    std::size_t best_bytes = unfiltered_bytes - unfiltered_bytes / 32;
    // LZ4 does not write frequent bytes with fewer bits, and is quick: all are tried.
    const std::vector<Filter> filters = encoding.codec == Codec::lz4
                                            ? std::vector<Filter>(std::begin(kFilters) + 1, std::end(kFilters))
                                            : sample.promising();
    for (const Filter filter : filters) {
        const std::size_t bytes = try_on(encoding.codec, sample.filtered(filter));
        if (bytes < best_bytes) {
            best_bytes = bytes;
            best.codec = with_filter(encoding.codec, filter);
        }
    }
    return best;
}

// Returns how many bytes the codec makes of the sample when it hurries. Which filter is best depends little on the
// level.
std::size_t BlockEncoder::try_on(Codec codec, std::span<const std::byte> sample) {
    tried_.resize(stored_bytes_max(FilterSample::kBytesMax));
    if (codec == Codec::lz4)
        return static_cast<std::size_t>(
            LZ4_compress_default(reinterpret_cast<const char*>(sample.data()), reinterpret_cast<char*>(tried_.data()),
                                 static_cast<int>(sample.size()), static_cast<int>(tried_.size())));
    if (!quick_) {
        quick_ = create_context();
        set_parameter(quick_.get(), ZSTD_c_compressionLevel, kLevelMin);
    }
    const std::size_t bytes = ZSTD_compress2(quick_.get(), tried_.data(), tried_.size(), sample.data(), sample.size());
    if (ZSTD_isError(bytes))
        throw std::bad_alloc();
    return bytes;
}

std::size_t BlockEncoder::encode_lz4(std::span<const std::byte> raw, std::span<std::byte> out) {
    lz4_.resize(static_cast<std::size_t>(LZ4_sizeofStateHC()));
    const int block_bytes = LZ4_compress_HC_extStateHC(
        lz4_.data(), reinterpret_cast<const char*>(raw.data()), reinterpret_cast<char*>(out.data()),
        static_cast<int>(raw.size()), static_cast<int>(stored_bytes_max(raw.size())), kLz4Level);
    return block_bytes > 0 ? static_cast<std::size_t>(block_bytes) : raw.size();
}

// The number is raised when BlockEncoder changes what it gives.
std::string encoder_name(const BlockEncoding& encoding) {
    const std::string zstd = "zstd " + std::string(ZSTD_versionString()) + ", level " + std::to_string(encoding.level);
    return encoding.codec == Codec::lz4 ? "fardel 4, lz4 " + std::string(LZ4_versionString()) + ", " + zstd
                                        : "fardel 3, " + zstd;
}

// ---- Decoding -------------------------------------------------------------------------------------------------------

void BlockDecoder::Free::operator()(ZSTD_DCtx_s* context) const noexcept { ZSTD_freeDCtx(context); }

Status BlockDecoder::decode_zstd(std::span<const std::byte> stored, std::span<std::byte> out) {
    if (stored.size() >= out.size())
        return refused(std::to_string(stored.size()) + " bytes for a block of " + std::to_string(out.size()));
    FARDEL_TRY(verify_frame(stored, out.size()));
    if (!context_)
        context_.reset(ZSTD_createDCtx());
    if (!context_)
        throw std::bad_alloc();
    const std::size_t raw_bytes =
        ZSTD_decompressDCtx(context_.get(), out.data(), out.size(), stored.data(), stored.size());
    if (ZSTD_isError(raw_bytes))
        return refused(ZSTD_getErrorName(raw_bytes));
    if (raw_bytes != out.size())
        return refused("decodes to " + std::to_string(raw_bytes) + " bytes, the block has " +
                       std::to_string(out.size()));
    return ok();
}

Status BlockDecoder::decode(Codec codec, std::span<const std::byte> stored, std::span<std::byte> out) {
    const Filter filter = is_known(codec) ? filter_of(codec) : Filter::none;
    if (filter == Filter::none)
        return decode_unfiltered(codec, stored, out);
    if (filtered_.size() < out.size())
        filtered_.resize(out.size());
    const std::span<std::byte> filtered = std::span(filtered_).first(out.size());
    FARDEL_TRY(decode_unfiltered(without_filter(codec), stored, filtered));
    undo_filter(filter, filtered, out);
    return ok();
}

Status BlockDecoder::decode_unfiltered(Codec codec, std::span<const std::byte> stored, std::span<std::byte> out) {
    switch (codec) {
        case Codec::raw: return decode_raw(stored, out);
        case Codec::zstd: return decode_zstd(stored, out);
        case Codec::lz4: return decode_lz4(stored, out);
    }
    return Error(ErrorCode::unsupported, "block codec " + std::to_string(static_cast<unsigned>(codec)) +
                                             " needs a newer version of this library");
}

}  // namespace fardel
