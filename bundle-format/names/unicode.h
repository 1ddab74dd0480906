// The Unicode operations that names need: decoding, kinds of characters, NFC, case folding. Only this component uses
// utf8proc, whose data must be Unicode 15.0 (a test checks this): names are hashed, compared and refused by it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fardel::unicode {

// The version of the Unicode data in use, "15.0.0".
std::string_view version() noexcept;

// One code point of UTF-8; size_bytes is 0 if the text is ill-formed (RFC 3629: also over-long forms, surrogates and
// anything above U+10FFFF). `text` must not be empty.
struct CodePoint {
    char32_t value = 0;
    std::size_t size_bytes = 0;
};
CodePoint decode_first(std::string_view text) noexcept;

enum class Kind {
    visible,
    space,        // Zs: blank, but takes up width
    control,      // Cc
    separator,    // Zl, Zp
    invisible,    // Cf, and Default_Ignorable_Code_Point: bidi controls, zero-width, variation selectors, fillers, tags
    private_use,  // Co
    unassigned,   // Cn, including noncharacters
};
Kind kind_of(char32_t code_point) noexcept;

// Whether `text` is in NFC. False if it is not UTF-8.
bool is_nfc(std::string_view text);

// NFC(toCasefold(NFD(text))): Unicode's canonical caseless matching (D145), composed. Returns `text` unchanged if it is
// not UTF-8.
std::string fold(std::string_view text);

// The normalization form C of `text`; returns it unchanged if it is not UTF-8.
std::string compose(std::string_view text);

// Whether `text` is well-formed UTF-8 without control characters (C0, DEL, C1), as free text in a record must be.
bool is_plain_text(std::string_view text) noexcept;

}  // namespace fardel::unicode
