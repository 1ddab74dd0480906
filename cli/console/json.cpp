#include "json.h"

#include <fardel/format/name.h>

#include <algorithm>
#include <string_view>

namespace fardel {
namespace {

// Returns the bytes of the UTF-8 character that begins with `first`.
std::size_t character_bytes(unsigned char first) { return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4; }

std::string escape(std::string_view character) {
    char32_t value = static_cast<unsigned char>(character.front());
    if (character.size() > 1)
        value &= 0x7fu >> character.size();
    for (const char next : character.substr(1))
        value = value << 6 | (static_cast<unsigned char>(next) & 0x3f);
    const auto unit = [](char32_t number) {
        std::string text = "\\u0000";
        for (std::size_t i = 0; i < 4; ++i)
            text[5 - i] = "0123456789abcdef"[number >> 4 * i & 15];
        return text;
    };
    if (value < 0x10000)
        return unit(value);
    return unit(0xd800 + (value - 0x10000) / 0x400) + unit(0xdc00 + (value - 0x10000) % 0x400);
}

}  // namespace

std::string format_json(const Json& value, int indent) {
    const std::string text = value.dump(indent, ' ', false, Json::error_handler_t::replace);
    const auto is_plain = [](char c) { return static_cast<unsigned char>(c) < 0x7f; };
    if (std::ranges::all_of(text, is_plain))
        return text;
    // Outside of strings, and as a control character, JSON has only ASCII; so only what is in strings is looked at.
    std::string safe;
    for (std::size_t at = 0; at < text.size();) {
        const auto character = std::string_view(text).substr(at, character_bytes(static_cast<unsigned char>(text[at])));
        if (is_plain(text[at]) || printable(character) == character)
            safe += character;
        else
            safe += escape(character);
        at += character.size();
    }
    return safe;
}

}  // namespace fardel
