#include "cpp_tokens.h"

#include <algorithm>
#include <utility>

namespace fardel::arrows {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_in_word(char c) { return starts_word(c) || is_digit(c); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Reader {
public:
    explicit Reader(std::string_view source) : source_(source) {}

    std::vector<Token> read() {
        while (at_ < source_.size())
            step();
        return std::move(tokens_);
    }

private:
    char peek(std::size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
    bool sees(std::string_view text) const { return source_.substr(at_).starts_with(text); }

    void step() {
        const char c = peek();
        if (is_space(c)) {
            advance(1);
        } else if (sees("//")) {
            skip_line();
        } else if (sees("/*")) {
            advance(2);
            skip_to("*/");
        } else if (c == '#' && is_first_in_line()) {
            read_directive();
        } else if (starts_word(c)) {
            read_word();
        } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
            read_number();
        } else if (c == '"' || c == '\'') {
            read_literal(c);
        } else {
            add(TokenKind::sign, std::string(source_.substr(at_, sees("::") || sees("->") ? 2 : 1)));
            advance(tokens_.back().text.size());
        }
    }

    void add(TokenKind kind, std::string text) { tokens_.push_back({kind, std::move(text), line_}); }

    void advance(std::size_t count) {
        const std::size_t end = std::min(at_ + count, source_.size());
        line_ += static_cast<std::size_t>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                     source_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
        at_ = end;
    }

    void skip_to(std::string_view end) {
        const auto found = source_.find(end, at_);
        advance((found == std::string_view::npos ? source_.size() : found + end.size()) - at_);
    }

    // To the end of a line that no backslash continues.
    void skip_line() {
        while (at_ < source_.size() && peek() != '\n')
            advance(peek() == '\\' ? 2 : 1);
    }

    bool is_first_in_line() const {
        const auto before = source_.substr(0, at_).find_last_not_of(" \t");
        return before == std::string_view::npos || source_[before] == '\n';
    }

    std::string directive_word() {
        advance(1);
        while (peek() == ' ' || peek() == '\t')
            advance(1);
        std::size_t length = 0;
        while (is_in_word(peek(length)))
            ++length;
        return std::string(source_.substr(at_, length));
    }

    void read_directive() {
        const std::string word = directive_word();
        skip_line();
        if (word.starts_with("el"))  // #else, #elif: the first branch ends here
            skip_branches();
    }

    // To the #endif of the #if that we are in.
    void skip_branches() {
        for (std::size_t depth = 1; at_ < source_.size() && depth > 0; advance(1)) {
            while (peek() == ' ' || peek() == '\t')
                advance(1);
            if (peek() == '#') {
                const std::string word = directive_word();
                depth += word.starts_with("if") ? 1 : 0;
                depth -= word == "endif" ? 1 : 0;
            }
            skip_line();
        }
    }

    void read_word() {
        std::size_t length = 1;
        while (is_in_word(peek(length)))
            ++length;
        const std::string_view word = source_.substr(at_, length);
        const char after = peek(length);
        if (after == '"' && word.ends_with('R') && word.size() <= 3) {
            advance(length);
            read_raw_literal();
        } else if ((after == '"' || after == '\'') && (word == "u8" || word == "u" || word == "U" || word == "L")) {
            advance(length);  // the prefix of a literal
        } else {
            add(TokenKind::word, std::string(word));
            advance(length);
        }
    }

    void read_number() {
        std::size_t length = 1;
        for (;; ++length) {
            const char c = peek(length);
            const char before = peek(length - 1);
            const bool separates = c == '\'' && is_in_word(peek(length + 1));
            const bool signs_exponent =
                (c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
            if (!is_in_word(c) && c != '.' && !separates && !signs_exponent)
                break;
        }
        add(TokenKind::number, std::string(source_.substr(at_, length)));
        advance(length);
    }

    void read_literal(char quote) {
        add(TokenKind::literal, std::string(1, quote));
        advance(1);
        while (at_ < source_.size() && peek() != quote && peek() != '\n')
            advance(peek() == '\\' ? 2 : 1);
        advance(1);
    }

    // R"mark( … )mark", from its quote.
    void read_raw_literal() {
        add(TokenKind::literal, "\"");
        const auto open = source_.find('(', at_);
        if (open == std::string_view::npos)
            return advance(source_.size() - at_);
        const std::string end = ")" + std::string(source_.substr(at_ + 1, open - at_ - 1)) + "\"";
        skip_to(end);
    }

    std::string_view source_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view source) { return Reader(source).read(); }

}  // namespace fardel::arrows
