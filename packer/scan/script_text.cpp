#include "script_text.h"

#include "scan/reference_scanners.h"

#include <fardel/base/ascii.h>
#include <fardel/base/text_fields.h>

#include <algorithm>
#include <string>

namespace fardel {
namespace {

// As the game: every control character counts as white space.
bool is_space(char c) { return static_cast<unsigned char>(c) <= ' '; }

}  // namespace

bool ScriptText::at_comment() const {
    return text_[at_] == '/' && at_ + 1 < text_.size() && (text_[at_ + 1] == '/' || text_[at_ + 1] == '*');
}

Status ScriptText::skip_space() {
    while (at_ < text_.size()) {
        if (text_[at_] == '\n') {
            ++line_;
            line_starts_ = true;
            ++at_;
        } else if (is_space(text_[at_])) {
            ++at_;
        } else if (!at_comment()) {
            break;
        } else if (text_[at_ + 1] == '/') {
            at_ = std::min(text_.find('\n', at_), text_.size());
        } else {
            const std::size_t end = text_.find("*/", at_ + 2);
            if (end == text_.npos)
                return malformed_at(line_, "a comment has no end");
            const auto lines = std::ranges::count(text_.substr(at_, end - at_), '\n');
            line_ += static_cast<std::uint32_t>(lines);
            line_starts_ = line_starts_ || lines > 0;
            at_ = end + 2;
        }
    }
    return ok();
}

ScriptWord ScriptText::plain_word() {
    const std::size_t begin = at_;
    const auto separates = [&](char c) { return separators_.find(c) != separators_.npos; };
    if (separates(text_[at_])) {
        ++at_;
    } else {
        while (at_ < text_.size() && !is_space(text_[at_]) && !at_comment() && !separates(text_[at_]))
            ++at_;
    }
    return {.text = text_.substr(begin, at_ - begin), .line = line_, .starts_line = line_starts_};
}

Result<std::optional<ScriptWord>> ScriptText::quoted_word() {
    const std::size_t end = text_.find('"', at_ + 1);
    if (end == text_.npos)
        return malformed_at(line_, "a quote has no end");
    const ScriptWord word{
        .text = text_.substr(at_ + 1, end - at_ - 1), .line = line_, .quoted = true, .starts_line = line_starts_};
    line_ += static_cast<std::uint32_t>(std::ranges::count(word.text, '\n'));
    at_ = end + 1;
    return std::optional(word);
}

Result<std::optional<ScriptWord>> ScriptText::next() {
    FARDEL_TRY(skip_space());
    if (at_ == text_.size())
        return std::optional<ScriptWord>();
    auto word = text_[at_] == '"' ? quoted_word() : Result<std::optional<ScriptWord>>(std::optional(plain_word()));
    line_starts_ = false;
    return word;
}

Result<std::string_view> asset_text(std::span<const std::byte> bytes) {
    if (bytes.size() > kScannedTextBytesMax)
        return Error(ErrorCode::limit, "text of " + std::to_string(bytes.size()) + " bytes, at most " +
                                           std::to_string(kScannedTextBytesMax) + " are scanned");
    std::string_view text = as_text(bytes);
    if (text.starts_with("\xef\xbb\xbf"))
        text.remove_prefix(3);
    if (const std::size_t nul = text.find('\0'); nul != text.npos)
        return Error(ErrorCode::malformed, "byte " + std::to_string(nul) + " of the text is NUL");
    return text;
}

bool words_equal(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, lower_ascii, lower_ascii);
}

Error malformed_at(std::uint32_t line, std::string_view what) {
    return Error(ErrorCode::malformed, "line " + std::to_string(line) + ": " + std::string(what));
}

}  // namespace fardel
