#include "block_filter.h"

#include "names/byte_vector.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>

namespace fardel {
namespace {

using Byte = std::uint8_t;

// What a filter treats alike: groups of so many bytes. Those behind the last whole group stay as they are.
std::size_t group_bytes(Filter filter) noexcept {
    switch (filter) {
        case Filter::none:
        case Filter::delta: return 1;
        case Filter::delta16: return 2;
        case Filter::rgb: return 3;
        case Filter::delta4:
        case Filter::shuffle4: return 4;
        case Filter::delta8: return 8;
    }
    return 1;
}

constexpr Byte sum(Byte a, Byte b) noexcept { return static_cast<Byte>(a + b); }
constexpr Byte difference(Byte a, Byte b) noexcept { return static_cast<Byte>(a - b); }

// ---- Applied --------------------------------------------------------------------------------------------------------

// Each byte less the one `Group` bytes before, then all first bytes of the groups, all second ones, …
template <std::size_t Group, bool IsDelta>
void apply_by_place(const Byte* raw, std::size_t groups, Byte* out) {
    for (std::size_t place = 0; place < Group; ++place, out += groups) {
        Byte before = 0;
        for (std::size_t i = 0; i < groups; ++i) {
            const Byte byte = raw[i * Group + place];
            out[i] = difference(byte, before);
            before = IsDelta ? byte : Byte{0};
        }
    }
}

void apply_delta16(const Byte* raw, std::size_t words, Byte* out) {
    unsigned before = 0;
    for (std::size_t i = 0; i < words; ++i) {
        const unsigned word = raw[2 * i] | unsigned{raw[2 * i + 1]} << 8;
        const unsigned less = word - before;
        out[i] = static_cast<Byte>(less);
        out[words + i] = static_cast<Byte>(less >> 8);
        before = word;
    }
}

void apply_rgb(const Byte* raw, std::size_t pixels, Byte* out) {
    Byte before[3] = {};
    for (std::size_t i = 0; i < pixels; ++i, raw += 3, out += 3) {
        const Byte pixel[3] = {difference(raw[0], raw[1]), raw[1], difference(raw[2], raw[1])};
        for (std::size_t k = 0; k < 3; ++k) {
            out[k] = difference(pixel[k], before[k]);
            before[k] = pixel[k];
        }
    }
}

// ---- Undone, a byte at a time ---------------------------------------------------------------------------------------

// From the group `first` on; the groups before it are in `out`.
template <std::size_t Group, bool IsDelta>
void undo_by_place(const Byte* filtered, std::size_t first, std::size_t groups, Byte* out) {
    for (std::size_t i = first; i < groups; ++i)
        for (std::size_t place = 0; place < Group; ++place) {
            const Byte before = IsDelta && i != 0 ? out[(i - 1) * Group + place] : Byte{0};
            out[i * Group + place] = sum(filtered[place * groups + i], before);
        }
}

void undo_delta16(const Byte* filtered, std::size_t first, std::size_t words, Byte* out) {
    unsigned word = first == 0 ? 0 : out[2 * first - 2] | unsigned{out[2 * first - 1]} << 8;
    for (std::size_t i = first; i < words; ++i) {
        word += filtered[i] | unsigned{filtered[words + i]} << 8;
        out[2 * i] = static_cast<Byte>(word);
        out[2 * i + 1] = static_cast<Byte>(word >> 8);
    }
}

void undo_rgb(const Byte* filtered, std::size_t first, std::size_t pixels, Byte* out) {
    Byte pixel[3] = {};
    if (first != 0) {
        const Byte* const before = out + 3 * (first - 1);
        pixel[0] = difference(before[0], before[1]);
        pixel[1] = before[1];
        pixel[2] = difference(before[2], before[1]);
    }
    for (std::size_t i = first; i < pixels; ++i) {
        for (std::size_t k = 0; k < 3; ++k)
            pixel[k] = sum(pixel[k], filtered[3 * i + k]);
        out[3 * i] = sum(pixel[0], pixel[1]);
        out[3 * i + 1] = pixel[1];
        out[3 * i + 2] = sum(pixel[2], pixel[1]);
    }
}

void undo_from(Filter filter, std::size_t first, const Byte* filtered, std::size_t groups, Byte* out) {
    switch (filter) {
        case Filter::none: std::memcpy(out + first, filtered + first, groups - first); break;
        case Filter::delta: undo_by_place<1, true>(filtered, first, groups, out); break;
        case Filter::delta16: undo_delta16(filtered, first, groups, out); break;
        case Filter::rgb: undo_rgb(filtered, first, groups, out); break;
        case Filter::delta4: undo_by_place<4, true>(filtered, first, groups, out); break;
        case Filter::delta8: undo_by_place<8, true>(filtered, first, groups, out); break;
        case Filter::shuffle4: undo_by_place<4, false>(filtered, first, groups, out); break;
    }
}

// ---- Undone, sixteen bytes at a time --------------------------------------------------------------------------------
//
// Each returns how many groups it has undone; the rest is left to the functions above. Sums run over the bytes of a
// vector in steps that double, and from vector to vector through its last group.

#ifdef FARDEL_SSE2

__m128i load(const Byte* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); }
void store(Byte* at, __m128i bytes) { _mm_storeu_si128(reinterpret_cast<__m128i*>(at), bytes); }

std::size_t undo_delta_by_vectors(const Byte* filtered, std::size_t bytes, Byte* out) {
    __m128i carry = _mm_setzero_si128();
    std::size_t done = 0;
    for (; done + 16 <= bytes; done += 16) {
        __m128i sums = load(filtered + done);
        sums = _mm_add_epi8(sums, _mm_slli_si128(sums, 1));
        sums = _mm_add_epi8(sums, _mm_slli_si128(sums, 2));
        sums = _mm_add_epi8(sums, _mm_slli_si128(sums, 4));
        sums = _mm_add_epi8(sums, _mm_slli_si128(sums, 8));
        sums = _mm_add_epi8(sums, carry);
        store(out + done, sums);
        carry = _mm_unpackhi_epi8(sums, sums);
        carry = _mm_shufflehi_epi16(carry, 0xff);
        carry = _mm_shuffle_epi32(carry, 0xff);
    }
    return done;
}

std::size_t undo_delta16_by_vectors(const Byte* filtered, std::size_t words, Byte* out) {
    __m128i carry = _mm_setzero_si128();
    const auto add_up = [&](__m128i sums) {
        sums = _mm_add_epi16(sums, _mm_slli_si128(sums, 2));
        sums = _mm_add_epi16(sums, _mm_slli_si128(sums, 4));
        sums = _mm_add_epi16(sums, _mm_slli_si128(sums, 8));
        sums = _mm_add_epi16(sums, carry);
        carry = _mm_shuffle_epi32(_mm_shufflehi_epi16(sums, 0xff), 0xff);
        return sums;
    };
    std::size_t done = 0;
    for (; done + 16 <= words; done += 16) {
        const __m128i low = load(filtered + done), high = load(filtered + words + done);
        store(out + 2 * done, add_up(_mm_unpacklo_epi8(low, high)));
        store(out + 2 * done + 16, add_up(_mm_unpackhi_epi8(low, high)));
    }
    return done;
}

// A pixel a step, in the first three bytes of a vector. The fourth one that is stored belongs to the next pixel, which
// follows.
std::size_t undo_rgb_by_vectors(const Byte* filtered, std::size_t pixels, Byte* out) {
    const __m128i ends = _mm_cvtsi32_si128(0x00ff00ff);
    const __m128i middle = _mm_cvtsi32_si128(0x0000ff00);
    __m128i pixel = _mm_setzero_si128();
    std::size_t done = 0;
    for (; done + 2 <= pixels; ++done) {
        std::uint32_t four;
        std::memcpy(&four, filtered + 3 * done, 4);
        pixel = _mm_add_epi8(pixel, _mm_cvtsi32_si128(static_cast<int>(four)));
        const __m128i green = _mm_and_si128(pixel, middle);
        const __m128i both = _mm_or_si128(_mm_srli_epi32(green, 8), _mm_slli_epi32(green, 8));
        four = static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_add_epi8(pixel, _mm_and_si128(both, ends))));
        std::memcpy(out + 3 * done, &four, 4);
    }
    return done;
}

template <bool IsDelta>
std::size_t undo_fours_by_vectors(const Byte* filtered, std::size_t groups, Byte* out) {
    __m128i carry = _mm_setzero_si128();
    const auto add_up = [&](__m128i sums) {
        if constexpr (IsDelta) {
            sums = _mm_add_epi8(sums, _mm_slli_si128(sums, 4));
            sums = _mm_add_epi8(sums, _mm_slli_si128(sums, 8));
            sums = _mm_add_epi8(sums, carry);
            carry = _mm_shuffle_epi32(sums, 0xff);
        }
        return sums;
    };
    std::size_t done = 0;
    for (; done + 16 <= groups; done += 16, out += 64) {
        const Byte* const at = filtered + done;
        const __m128i a = load(at), b = load(at + groups), c = load(at + 2 * groups), d = load(at + 3 * groups);
        const __m128i ab_low = _mm_unpacklo_epi8(a, b), ab_high = _mm_unpackhi_epi8(a, b);
        const __m128i cd_low = _mm_unpacklo_epi8(c, d), cd_high = _mm_unpackhi_epi8(c, d);
        store(out, add_up(_mm_unpacklo_epi16(ab_low, cd_low)));
        store(out + 16, add_up(_mm_unpackhi_epi16(ab_low, cd_low)));
        store(out + 32, add_up(_mm_unpacklo_epi16(ab_high, cd_high)));
        store(out + 48, add_up(_mm_unpackhi_epi16(ab_high, cd_high)));
    }
    return done;
}

std::size_t undo_delta8_by_vectors(const Byte* filtered, std::size_t groups, Byte* out) {
    __m128i carry = _mm_setzero_si128();
    const auto add_up = [&](__m128i sums) {
        sums = _mm_add_epi8(sums, _mm_slli_si128(sums, 8));
        sums = _mm_add_epi8(sums, carry);
        carry = _mm_unpackhi_epi64(sums, sums);
        return sums;
    };
    std::size_t done = 0;
    for (; done + 16 <= groups; done += 16, out += 128) {
        __m128i pairs[8];  // of places 0 and 1 in groups 0 to 7, then 8 to 15; of places 2 and 3, …
        for (std::size_t place = 0; place < 8; place += 2) {
            const __m128i even = load(filtered + place * groups + done);
            const __m128i odd = load(filtered + (place + 1) * groups + done);
            pairs[place] = _mm_unpacklo_epi8(even, odd);
            pairs[place + 1] = _mm_unpackhi_epi8(even, odd);
        }
        for (std::size_t half = 0; half < 2; ++half) {
            const __m128i low03 = _mm_unpacklo_epi16(pairs[half], pairs[2 + half]);
            const __m128i high03 = _mm_unpackhi_epi16(pairs[half], pairs[2 + half]);
            const __m128i low47 = _mm_unpacklo_epi16(pairs[4 + half], pairs[6 + half]);
            const __m128i high47 = _mm_unpackhi_epi16(pairs[4 + half], pairs[6 + half]);
            Byte* const at = out + 64 * half;
            store(at, add_up(_mm_unpacklo_epi32(low03, low47)));
            store(at + 16, add_up(_mm_unpackhi_epi32(low03, low47)));
            store(at + 32, add_up(_mm_unpacklo_epi32(high03, high47)));
            store(at + 48, add_up(_mm_unpackhi_epi32(high03, high47)));
        }
    }
    return done;
}

std::size_t undo_by_vectors(Filter filter, const Byte* filtered, std::size_t groups, Byte* out) {
    switch (filter) {
        case Filter::none: return 0;
        case Filter::delta: return undo_delta_by_vectors(filtered, groups, out);
        case Filter::delta16: return undo_delta16_by_vectors(filtered, groups, out);
        case Filter::rgb: return undo_rgb_by_vectors(filtered, groups, out);
        case Filter::delta4: return undo_fours_by_vectors<true>(filtered, groups, out);
        case Filter::delta8: return undo_delta8_by_vectors(filtered, groups, out);
        case Filter::shuffle4: return undo_fours_by_vectors<false>(filtered, groups, out);
    }
    return 0;
}

#else

std::size_t undo_by_vectors(Filter, const Byte*, std::size_t, Byte*) { return 0; }

#endif

const Byte* bytes_of(std::span<const std::byte> bytes) { return reinterpret_cast<const Byte*>(bytes.data()); }
Byte* bytes_of(std::span<std::byte> bytes) { return reinterpret_cast<Byte*>(bytes.data()); }

// The whole groups of a block; copies what is behind them.
std::size_t begin(Filter filter, std::span<const std::byte> in, std::span<std::byte> out) {
    assert(in.size() == out.size());
    const std::size_t groups = in.size() / group_bytes(filter);
    std::ranges::copy(in.subspan(groups * group_bytes(filter)), out.begin() + groups * group_bytes(filter));
    return groups;
}

}  // namespace

void apply_filter(Filter filter, std::span<const std::byte> raw, std::span<std::byte> out) {
    const std::size_t groups = begin(filter, raw, out);
    const Byte* const from = bytes_of(raw);
    Byte* const to = bytes_of(out);
    switch (filter) {
        case Filter::none: std::ranges::copy(raw, out.begin()); break;
        case Filter::delta: apply_by_place<1, true>(from, groups, to); break;
        case Filter::delta16: apply_delta16(from, groups, to); break;
        case Filter::rgb: apply_rgb(from, groups, to); break;
        case Filter::delta4: apply_by_place<4, true>(from, groups, to); break;
        case Filter::delta8: apply_by_place<8, true>(from, groups, to); break;
        case Filter::shuffle4: apply_by_place<4, false>(from, groups, to); break;
    }
}

void undo_filter(Filter filter, std::span<const std::byte> filtered, std::span<std::byte> out) {
    const std::size_t groups = begin(filter, filtered, out);
    const std::size_t done = undo_by_vectors(filter, bytes_of(filtered), groups, bytes_of(out));
    undo_from(filter, done, bytes_of(filtered), groups, bytes_of(out));
}

void undo_filter_plainly(Filter filter, std::span<const std::byte> filtered, std::span<std::byte> out) {
    const std::size_t groups = begin(filter, filtered, out);
    undo_from(filter, 0, bytes_of(filtered), groups, bytes_of(out));
}

}  // namespace fardel
