// ScriptText: splits the text formats of Quake III's family into words, as the game does.
//
// A word ends at white space or at a comment (// or /* */). Text in double quotes is one word, even across lines. So a
// brace is a separate word only if white space surrounds it, unless `separators` contains it. Hostile input; the words
// are views of the given text.
#pragma once

#include <fardel/base/result.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace fardel {

struct ScriptWord {
    std::string_view text;
    std::uint32_t line = 0;  // from 1
    bool quoted = false;
    bool starts_line = false;  // the first word of its line

    bool is(std::string_view bare) const { return !quoted && text == bare; }
};

class ScriptText {
public:
    // `separators`: characters that are separate words wherever they occur outside quotes.
    explicit ScriptText(std::string_view text, std::string_view separators = {})
        : text_(text), separators_(separators) {}

    // Returns nothing at the end. Errors: malformed (a quote or comment without end).
    Result<std::optional<ScriptWord>> next();
    // Whether next() failed because a comment has no end.
    bool ends_in_comment() const { return ends_in_comment_; }

private:
    Status skip_space();
    ScriptWord plain_word();
    Result<std::optional<ScriptWord>> quoted_word();
    bool at_comment() const;

    std::string_view text_;
    std::string_view separators_;
    std::size_t at_ = 0;
    std::uint32_t line_ = 1;
    bool line_starts_ = true;
    bool ends_in_comment_ = false;
};

// The text of an asset without its byte order mark. Errors: limit (more than kScannedTextBytesMax), malformed (a NUL
// byte, at which some readers would stop and others would not).
Result<std::string_view> asset_text(std::span<const std::byte> bytes);

inline constexpr std::string_view kNoText = "no text";
// What the bytes are in place of a text of Quake III's family: kNoText, "XML"; nothing if they may be one.
std::optional<std::string_view> find_other_format(std::span<const std::byte> bytes);

// Ignores the case of ASCII letters.
bool words_equal(std::string_view a, std::string_view b);

// malformed, "line 12: …".
Error malformed_at(std::uint32_t line, std::string_view what);

}  // namespace fardel
