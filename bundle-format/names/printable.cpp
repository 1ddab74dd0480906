#include <fardel/format/printable.h>

#include "ascii_word.h"
#include "unicode.h"

#include <algorithm>

namespace fardel {

namespace {

std::string hex(char32_t value) {
    std::string digits;
    do {
        digits.insert(digits.begin(), "0123456789abcdef"[value & 15]);
        value >>= 4;
    } while (value != 0);
    return digits;
}

std::string shown(unicode::CodePoint point, std::string_view text) {
    if (point.size_bytes == 0) {
        const auto byte = static_cast<unsigned char>(text.front());
        return (byte < 16 ? "\\x0" : "\\x") + hex(byte);
    }
    if (point.value == U' ' || unicode::kind_of(point.value) == unicode::Kind::visible)
        return std::string(text.substr(0, point.size_bytes));
    return "\\u{" + hex(point.value) + "}";
}

// How many bytes at the front are ASCII that people see as it is.
std::size_t count_visible_ascii(std::string_view text) {
    std::size_t count = 0;
    while (count < text.size() && text[count] >= ' ' && text[count] <= '~')
        ++count;
    return count;
}

}  // namespace

std::string printable(std::string_view untrusted, std::size_t bytes_max) {
    std::string safe;
    while (!untrusted.empty()) {
        // Nearly all texts are nothing else, and a scan shows each name of a source.
        const std::size_t plain = std::min(count_visible_ascii(untrusted), bytes_max - safe.size());
        safe += untrusted.substr(0, plain);
        untrusted.remove_prefix(plain);
        if (untrusted.empty())
            break;
        const unicode::CodePoint point = unicode::decode_first(untrusted);
        const std::string next = shown(point, untrusted);
        if (safe.size() + next.size() > bytes_max)
            return safe + "…";
        safe += next;
        untrusted.remove_prefix(point.size_bytes == 0 ? 1 : point.size_bytes);
    }
    return safe;
}

bool is_utf8_text(std::string_view text) {
    if (is_ascii(text))
        return true;
    while (!text.empty()) {
        const std::size_t size_bytes = unicode::decode_first(text).size_bytes;
        if (size_bytes == 0)
            return false;
        text.remove_prefix(size_bytes);
    }
    return true;
}

}  // namespace fardel
