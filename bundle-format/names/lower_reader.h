// Reads text in words of eight characters with 'A'…'Z' changed to 'a'…'z', so that names can be hashed.
#pragma once

#include "ascii_word.h"
#include "vectors/byte_vector.h"

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

#ifdef FARDEL_BYTE_VECTOR
// The same with a third of the instructions, so that the processor can overlap look-ups of several names.
class VectorLowerReader {
public:
    WordPair read(const char* at) noexcept {
        const ByteVector text = ByteVector::load(at);
        seen_ = seen_ | text;
        // 'A' becomes the least signed byte, so one comparison finds 'A'…'Z'.
        const ByteVector upper = less(text + ByteVector::of(-128 - 'A'), ByteVector::of(-128 + 26));
        const ByteVector lower = text | (upper & ByteVector::of('a' - 'A'));
        return {lower.first_word(), lower.second_word()};
    }
    WordPair lower(WordPair words) noexcept { return words_.lower(words); }
    bool is_ascii() const noexcept { return words_.is_ascii() && !seen_.has_high_bit(); }

private:
    ByteVector seen_ = ByteVector::zero();
    PortableLowerReader words_;
};
using LowerReader = VectorLowerReader;
#else
using LowerReader = PortableLowerReader;
#endif

}  // namespace fardel
