#include "name_characters.h"

#include "unicode.h"

#include <algorithm>
#include <string>

namespace fardel {

namespace {

std::string hex(std::uint32_t value, std::size_t digits_min) {
    std::string digits;
    for (; value != 0 || digits.size() < digits_min; value >>= 4)
        digits.insert(digits.begin(), "0123456789ABCDEF"[value & 15]);
    return digits;
}

// Returns why a name may not contain a character of this kind, which is neither a space nor visible.
std::string_view refusal_of(unicode::Kind kind) {
    switch (kind) {
        case unicode::Kind::control: return "a control character";
        case unicode::Kind::separator: return "a line or paragraph separator";
        case unicode::Kind::invisible: return "an invisible character";
        case unicode::Kind::private_use: return "a private-use character";
        case unicode::Kind::unassigned: return "a code point that Unicode 15.0 does not assign";
        case unicode::Kind::visible:
        case unicode::Kind::space: break;
    }
    return {};
}

// All characters below this one are in NFC, alone and in any order (UAX #15, NFC_Quick_Check).
constexpr char32_t kFirstThatNfcChanges = 0x300;

Error refuse(std::string_view subject, std::string_view what, std::size_t at) {
    return Error(ErrorCode::malformed,
                 std::string(subject).append(" has ").append(what).append(" at byte ").append(std::to_string(at)));
}

}  // namespace

Status verify_characters(std::string_view text, std::string_view subject, bool wildcards) {
    char32_t highest = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char byte = text[at];
        if (byte == '\\')
            return refuse(subject, "a back slash (parts are separated by '/')", at);
        if (kForbiddenCharacters.find(byte) != std::string_view::npos && !(wildcards && (byte == '*' || byte == '?')))
            return refuse(subject, std::string("the character ") + byte + " (none of \\ : * ? \" < > | is allowed)",
                          at);
        if (byte >= ' ' && byte <= '~') {
            ++at;
            continue;
        }
        const unicode::CodePoint point = unicode::decode_first(text.substr(at));
        if (point.size_bytes == 0)
            return refuse(subject, "ill-formed UTF-8 (byte 0x" + hex(static_cast<unsigned char>(byte), 2) + ")", at);
        if (const std::string_view why = refusal_of(unicode::kind_of(point.value)); !why.empty())
            return refuse(subject, std::string(why).append(" (U+").append(hex(point.value, 4)).append(")"), at);
        highest = std::max(highest, point.value);
        at += point.size_bytes;
    }
    // Below that character nothing can be decomposed, and the test is slow.
    if (highest >= kFirstThatNfcChanges && !unicode::is_nfc(text))
        return Error(ErrorCode::malformed, std::string(subject) + " is not in Unicode normalization form C (NFC)");
    return ok();
}

}  // namespace fardel
