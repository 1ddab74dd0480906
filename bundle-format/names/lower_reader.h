// Reads text in words of eight characters with 'A'…'Z' changed to 'a'…'z', so that names can be hashed.
#pragma once

#include "ascii_word.h"
#include "sse2.h"

#include <cstdint>

namespace fardel {

struct WordPair {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
};

// Records whether all text that it read was ASCII. If not, its words must not be used.
class PortableLowerReader {
public:
    // Returns the sixteen characters at `at`.
    WordPair read(const char* at) noexcept { return lower({read_word(at), read_word(at + 8)}); }
    // Lower-cases characters that were read already.
    WordPair lower(WordPair words) noexcept {
        seen_ |= words.first | words.second;
        return {lower_ascii_word(words.first), lower_ascii_word(words.second)};
    }
    bool is_ascii() const noexcept { return is_ascii_word(seen_); }

private:
    std::uint64_t seen_ = 0;
};

#ifdef FARDEL_SSE2
// The same with a third of the instructions, so that the processor can overlap look-ups of several names.
class Sse2LowerReader {
public:
    WordPair read(const char* at) noexcept {
        __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        seen_ = _mm_or_si128(seen_, text);
        // 'A' becomes the least signed byte, so one comparison finds 'A'…'Z'.
        const __m128i from_a = _mm_add_epi8(text, _mm_set1_epi8(static_cast<char>(-128 - 'A')));
        const __m128i upper = _mm_cmpgt_epi8(_mm_set1_epi8(-128 + 26), from_a);
        text = _mm_or_si128(text, _mm_and_si128(upper, _mm_set1_epi8('a' - 'A')));
        return {static_cast<std::uint64_t>(_mm_cvtsi128_si64(text)),
                static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(text, text)))};
    }
    WordPair lower(WordPair words) noexcept { return words_.lower(words); }
    bool is_ascii() const noexcept { return words_.is_ascii() && _mm_movemask_epi8(seen_) == 0; }

private:
    __m128i seen_ = _mm_setzero_si128();
    PortableLowerReader words_;
};
using LowerReader = Sse2LowerReader;
#else
using LowerReader = PortableLowerReader;
#endif

}  // namespace fardel
