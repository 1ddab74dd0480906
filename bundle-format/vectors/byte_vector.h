// ByteVector: sixteen bytes that are compared and changed at once. FARDEL_BYTE_VECTOR is defined if every processor of
// the target can do that, so code may use it without a run-time test: x86-64 by SSE2, 64-bit ARM by NEON. Such code has
// a portable counterpart; tests compare the two.
#pragma once

#include <cstdint>

#if defined(_M_X64) || (defined(__x86_64__) && defined(__SSE2__))
#include <emmintrin.h>
#define FARDEL_BYTE_VECTOR 1
#define FARDEL_SSE2 1
#elif defined(_M_ARM64) || (defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__))
#include <arm_neon.h>
#define FARDEL_BYTE_VECTOR 1
#endif

#ifdef FARDEL_BYTE_VECTOR

namespace fardel {

// A comparison gives bytes of 0xff where it holds, and of 0 elsewhere. Bytes are signed, so all that are not ASCII are
// less than 0.
class ByteVector {
#ifdef FARDEL_SSE2
public:
    static ByteVector zero() noexcept { return _mm_setzero_si128(); }
    static ByteVector of(int byte) noexcept { return _mm_set1_epi8(static_cast<char>(byte)); }
    // The sixteen bytes at `at`, at any address.
    static ByteVector load(const void* at) noexcept { return _mm_loadu_si128(static_cast<const __m128i*>(at)); }
    void store(void* at) const noexcept { _mm_storeu_si128(static_cast<__m128i*>(at), bytes_); }

    friend ByteVector operator|(ByteVector a, ByteVector b) noexcept { return _mm_or_si128(a.bytes_, b.bytes_); }
    friend ByteVector operator&(ByteVector a, ByteVector b) noexcept { return _mm_and_si128(a.bytes_, b.bytes_); }
    // Each byte modulo 256.
    friend ByteVector operator+(ByteVector a, ByteVector b) noexcept { return _mm_add_epi8(a.bytes_, b.bytes_); }
    friend ByteVector equal(ByteVector a, ByteVector b) noexcept { return _mm_cmpeq_epi8(a.bytes_, b.bytes_); }
    friend ByteVector less(ByteVector a, ByteVector b) noexcept { return _mm_cmplt_epi8(a.bytes_, b.bytes_); }
    // The same for eight numbers of 16 bits, little-endian.
    friend ByteVector add_words(ByteVector a, ByteVector b) noexcept { return _mm_add_epi16(a.bytes_, b.bytes_); }

    // Byte i moves to i + Places; zeros follow it up.
    template <int Places>
    ByteVector moved_up() const noexcept {
        return _mm_slli_si128(bytes_, Places);
    }
    // Groups of so many bytes (1, 2 or 4) of the two in turn: those of their first halves, and of their second ones.
    template <int Bytes>
    friend ByteVector zip_low(ByteVector a, ByteVector b) noexcept {
        if constexpr (Bytes == 1)
            return _mm_unpacklo_epi8(a.bytes_, b.bytes_);
        else if constexpr (Bytes == 2)
            return _mm_unpacklo_epi16(a.bytes_, b.bytes_);
        else
            return _mm_unpacklo_epi32(a.bytes_, b.bytes_);
    }
    template <int Bytes>
    friend ByteVector zip_high(ByteVector a, ByteVector b) noexcept {
        if constexpr (Bytes == 1)
            return _mm_unpackhi_epi8(a.bytes_, b.bytes_);
        else if constexpr (Bytes == 2)
            return _mm_unpackhi_epi16(a.bytes_, b.bytes_);
        else
            return _mm_unpackhi_epi32(a.bytes_, b.bytes_);
    }
    // The last group of so many bytes (1, 2, 4 or 8), in every place.
    template <int Bytes>
    ByteVector last_everywhere() const noexcept {
        if constexpr (Bytes == 1)
            return ByteVector(_mm_unpackhi_epi8(bytes_, bytes_)).last_everywhere<2>();
        else if constexpr (Bytes == 2)
            return _mm_shuffle_epi32(_mm_shufflehi_epi16(bytes_, 0xff), 0xff);
        else if constexpr (Bytes == 4)
            return _mm_shuffle_epi32(bytes_, 0xff);
        else
            return _mm_unpackhi_epi64(bytes_, bytes_);
    }

    // Bit i is the highest bit of byte i.
    std::uint32_t high_bits() const noexcept { return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes_)); }
    bool has_high_bit() const noexcept { return high_bits() != 0; }

    // Bytes 0 to 7 and 8 to 15 as little-endian numbers.
    std::uint64_t first_word() const noexcept { return static_cast<std::uint64_t>(_mm_cvtsi128_si64(bytes_)); }
    std::uint64_t second_word() const noexcept {
        return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(bytes_, bytes_)));
    }

    // Bit i says whether bytes 4 × i to 4 × i + 3 are `number` in little-endian form.
    std::uint32_t quarters_equal(std::uint32_t number) const noexcept {
        const __m128i wanted = _mm_set1_epi32(static_cast<int>(number));
        return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(bytes_, wanted))));
    }

private:
    ByteVector(__m128i bytes) noexcept : bytes_(bytes) {}

    __m128i bytes_;
#else
public:
    static ByteVector zero() noexcept { return of(0); }
    static ByteVector of(int byte) noexcept { return vdupq_n_u8(static_cast<std::uint8_t>(byte)); }
    static ByteVector load(const void* at) noexcept { return vld1q_u8(static_cast<const std::uint8_t*>(at)); }
    void store(void* at) const noexcept { vst1q_u8(static_cast<std::uint8_t*>(at), bytes_); }

    friend ByteVector operator|(ByteVector a, ByteVector b) noexcept { return vorrq_u8(a.bytes_, b.bytes_); }
    friend ByteVector operator&(ByteVector a, ByteVector b) noexcept { return vandq_u8(a.bytes_, b.bytes_); }
    friend ByteVector operator+(ByteVector a, ByteVector b) noexcept { return vaddq_u8(a.bytes_, b.bytes_); }
    friend ByteVector equal(ByteVector a, ByteVector b) noexcept { return vceqq_u8(a.bytes_, b.bytes_); }
    friend ByteVector less(ByteVector a, ByteVector b) noexcept {
        return vcltq_s8(vreinterpretq_s8_u8(a.bytes_), vreinterpretq_s8_u8(b.bytes_));
    }
    friend ByteVector add_words(ByteVector a, ByteVector b) noexcept {
        return vreinterpretq_u8_u16(vaddq_u16(vreinterpretq_u16_u8(a.bytes_), vreinterpretq_u16_u8(b.bytes_)));
    }

    template <int Places>
    ByteVector moved_up() const noexcept {
        return vextq_u8(vdupq_n_u8(0), bytes_, 16 - Places);
    }
    template <int Bytes>
    friend ByteVector zip_low(ByteVector a, ByteVector b) noexcept {
        if constexpr (Bytes == 1)
            return vzip1q_u8(a.bytes_, b.bytes_);
        else if constexpr (Bytes == 2)
            return vreinterpretq_u8_u16(vzip1q_u16(vreinterpretq_u16_u8(a.bytes_), vreinterpretq_u16_u8(b.bytes_)));
        else
            return vreinterpretq_u8_u32(vzip1q_u32(vreinterpretq_u32_u8(a.bytes_), vreinterpretq_u32_u8(b.bytes_)));
    }
    template <int Bytes>
    friend ByteVector zip_high(ByteVector a, ByteVector b) noexcept {
        if constexpr (Bytes == 1)
            return vzip2q_u8(a.bytes_, b.bytes_);
        else if constexpr (Bytes == 2)
            return vreinterpretq_u8_u16(vzip2q_u16(vreinterpretq_u16_u8(a.bytes_), vreinterpretq_u16_u8(b.bytes_)));
        else
            return vreinterpretq_u8_u32(vzip2q_u32(vreinterpretq_u32_u8(a.bytes_), vreinterpretq_u32_u8(b.bytes_)));
    }
    template <int Bytes>
    ByteVector last_everywhere() const noexcept {
        if constexpr (Bytes == 1)
            return vdupq_laneq_u8(bytes_, 15);
        else if constexpr (Bytes == 2)
            return vreinterpretq_u8_u16(vdupq_laneq_u16(vreinterpretq_u16_u8(bytes_), 7));
        else if constexpr (Bytes == 4)
            return vreinterpretq_u8_u32(vdupq_laneq_u32(vreinterpretq_u32_u8(bytes_), 3));
        else
            return vreinterpretq_u8_u64(vdupq_laneq_u64(vreinterpretq_u64_u8(bytes_), 1));
    }

    std::uint32_t high_bits() const noexcept {
        // Each half of the bytes moves its highest bits to eight different positions, and adds them up.
        static constexpr std::int8_t kPositions[16] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
        const uint8x16_t bits = vshlq_u8(vshrq_n_u8(bytes_, 7), vld1q_s8(kPositions));
        return vaddv_u8(vget_low_u8(bits)) | static_cast<std::uint32_t>(vaddv_u8(vget_high_u8(bits))) << 8;
    }
    bool has_high_bit() const noexcept { return vmaxvq_u8(bytes_) >= 0x80; }

    std::uint64_t first_word() const noexcept { return vgetq_lane_u64(vreinterpretq_u64_u8(bytes_), 0); }
    std::uint64_t second_word() const noexcept { return vgetq_lane_u64(vreinterpretq_u64_u8(bytes_), 1); }

    std::uint32_t quarters_equal(std::uint32_t number) const noexcept {
        static constexpr std::uint32_t kBits[4] = {1, 2, 4, 8};
        const uint32x4_t holds = vceqq_u32(vreinterpretq_u32_u8(bytes_), vdupq_n_u32(number));
        return vaddvq_u32(vandq_u32(holds, vld1q_u32(kBits)));
    }

private:
    ByteVector(uint8x16_t bytes) noexcept : bytes_(bytes) {}

    uint8x16_t bytes_;
#endif
};

}  // namespace fardel

#endif
