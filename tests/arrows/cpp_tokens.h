// The tokens of a C++ file, without comments and directives of the preprocessor. Of an #if, only the first branch is
// read, so that the braces of both branches are not counted together. Macros are not expanded.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fardel::arrows {

enum class TokenKind { word, number, literal, sign };

struct Token {
    TokenKind kind = TokenKind::sign;
    std::string text;      // of a literal only its quote; signs have one character each, except "::" and "->"
    std::size_t line = 0;  // from 1

    bool is(std::string_view other) const { return kind != TokenKind::literal && text == other; }
};

std::vector<Token> tokens_of(std::string_view source);

}  // namespace fardel::arrows
