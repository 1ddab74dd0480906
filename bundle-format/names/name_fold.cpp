#include <fardel/format/name.h>

#include "ascii_word.h"
#include "unicode.h"

#include <cstring>

namespace fardel {

namespace {

void lower_ascii_text(std::string& text) noexcept {
    std::size_t at = 0;
    for (; at + 8 <= text.size(); at += 8) {
        std::uint64_t word;  // in any byte order
        std::memcpy(&word, text.data() + at, 8);
        word = lower_ascii_word(word);
        std::memcpy(text.data() + at, &word, 8);
    }
    for (; at < text.size(); ++at)
        text[at] = lower_ascii(text[at]);
}

}  // namespace

std::string fold_name(std::string_view name) {
    if (!is_ascii(name))
        return unicode::fold(name);
    std::string folded(name);
    lower_ascii_text(folded);
    return folded;
}

bool names_fold_equal(std::string_view a, std::string_view b) {
    if (!is_ascii(a) || !is_ascii(b))
        return a == b || fold_name(a) == fold_name(b);
    if (a.size() != b.size())
        return false;
    std::size_t at = 0;
    for (; at + 8 <= a.size(); at += 8)
        if (lower_ascii_word(read_word(a.data() + at)) != lower_ascii_word(read_word(b.data() + at)))
            return false;
    const std::size_t rest = a.size() - at;
    return lower_ascii_word(read_part_word(a.data() + at, rest)) ==
           lower_ascii_word(read_part_word(b.data() + at, rest));
}

}  // namespace fardel
