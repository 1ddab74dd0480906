#include "registry/safe_text.h"

#include <fardel/format/name.h>

#include <cstdint>

namespace fardel {
namespace {

void append_unit(std::string& out, unsigned unit) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4)
        out += kDigits[(unit >> shift) & 15u];
}

void append_character(std::string& out, std::uint32_t character) {
    constexpr std::uint32_t kBeyondBasic = 0x10000;
    if (character < kBeyondBasic)
        return append_unit(out, character);
    append_unit(out, 0xd800 + ((character - kBeyondBasic) >> 10));
    append_unit(out, 0xdc00 + ((character - kBeyondBasic) & 0x3ff));
}

// Of well-formed UTF-8.
std::uint32_t read_character(std::string_view& text) {
    const auto first = static_cast<unsigned char>(text.front());
    const unsigned more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    std::uint32_t character = more == 0 ? first : first & (0x3fu >> more);
    for (unsigned i = 1; i <= more; ++i)
        character = (character << 6) | (static_cast<unsigned char>(text[i]) & 0x3fu);
    text.remove_prefix(more + 1);
    return character;
}

}  // namespace

std::string json_text(std::string_view text) {
    const std::string safe = printable(text, SIZE_MAX);
    std::string out = "\"";
    for (std::string_view rest = safe; !rest.empty();) {
        const std::uint32_t character = read_character(rest);
        if (character < ' ' || character > '~' || character == '"' || character == '\\' || character == '<')
            append_character(out, character);
        else
            out += static_cast<char>(character);
    }
    return out + "\"";
}

std::string html_text(std::string_view text) {
    std::string out;
    for (const char c : printable(text, SIZE_MAX)) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            case '\'': out += "&#39;"; break;
            default: out += c;
        }
    }
    return out;
}

}  // namespace fardel
