// ScriptText: the words of the text formats of Quake III's family, as the game cuts them.
//
// A word ends at white space or a comment; text in double quotes is one word, over lines too; // and /* */ are
// comments. So a brace is a word of its own only where it stands alone, unless `separators` says otherwise. Hostile
// input; the words are views of the given text.
#pragma once

#include <fardel/format/result.h>

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
    // `separators`: characters that are words of their own wherever they stand outside quotes.
    explicit ScriptText(std::string_view text, std::string_view separators = {})
        : text_(text), separators_(separators) {}

    // Nothing at the end. Errors: malformed (a quote or comment without end).
    Result<std::optional<ScriptWord>> next();

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
};

// The text of an asset. Errors: limit (above kScannedTextBytesMax), malformed (a NUL byte: such text ends there for
// some readers and not for others).
Result<std::string_view> asset_text(std::span<const std::byte> bytes);

// ASCII case does not count.
bool words_equal(std::string_view a, std::string_view b);

// malformed, "line 12: …".
Error malformed_at(std::uint32_t line, std::string_view what);

}  // namespace fardel
