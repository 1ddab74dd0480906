// docs/names.md, "Name hash", in the order of that text.
#include <fardel/format/name.h>

#include "lower_reader.h"
#include "unicode.h"
#include "wide_product.h"

namespace fardel {

namespace {

// The first 256 fractional bits of pi: numbers without a hidden choice.
constexpr std::uint64_t kStart = 0x243f'6a88'85a3'08d3;
constexpr std::uint64_t kFirst = 0x1319'8a2e'0370'7344;
constexpr std::uint64_t kLast = 0xa409'3822'299f'31d0;
constexpr std::uint64_t kLength = 0x082e'fa98'ec4e'6c89;

struct HashedText {
    std::uint64_t hash;
    bool ascii;  // if false and the text was to be lower-cased, `hash` must not be used
};

// Reads text that is folded already.
struct PlainReader {
    WordPair read(const char* at) const noexcept { return {read_word(at), read_word(at + 8)}; }
    WordPair lower(WordPair words) const noexcept { return words; }
    bool is_ascii() const noexcept { return true; }
};

template <class Reader>
HashedText hash_text(std::string_view text) noexcept {
    const char* at = text.data();
    const std::size_t size = text.size();
    Reader reader;
    std::uint64_t state = kStart;
    const auto mix = [&state](WordPair words) { state = folded_product(words.first ^ kFirst, words.second ^ state); };
    if (size > 16) {
        const char* const last = at + size - 16;
        for (; at < last; at += 16)
            mix(reader.read(at));
        mix(reader.read(last));
    } else if (size >= 8) {
        mix(reader.lower({read_word(at), size == 16 ? read_word(at + 8) : read_part_word(at + 8, size - 8)}));
    } else {
        mix(reader.lower({read_part_word(at, size), 0}));
    }
    return {folded_product(state ^ kLast, size ^ kLength), reader.is_ascii()};
}

}  // namespace

std::uint64_t name_hash(std::string_view name) {
    const HashedText hashed = hash_text<LowerReader>(name);
    return hashed.ascii ? hashed.hash : hash_text<PlainReader>(unicode::fold(name)).hash;
}

}  // namespace fardel
