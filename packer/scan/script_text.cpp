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

constexpr std::string_view kTextSpace = " \t\r\n";

// The text without its byte order mark.
std::string_view without_mark(std::span<const std::byte> bytes) {
    const std::string_view text = as_text(bytes);
    return text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text;
}

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
            if (end == text_.npos) {
                ends_in_comment_ = true;
                return malformed_at(line_, "a comment has no end");
            }
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

std::optional<std::string_view> find_other_format(std::span<const std::byte> bytes) {
    constexpr std::size_t kHeadBytes = 512;
    const std::string_view all = as_text(bytes);
    // One NUL may be the work of a bad disk or tool; the header of a binary format has many.
    if (std::ranges::count(all.substr(0, kHeadBytes), '\0') > 1)
        return all.starts_with("\xff\xfe") || all.starts_with("\xfe\xff") ? std::nullopt : std::optional(kNoText);
    std::string_view text = trimmed(without_mark(bytes), kTextSpace);
    if (text.starts_with('<'))
        return "XML";
    if (text.empty() || (text[0] != '{' && text[0] != '['))
        return std::nullopt;
    const bool is_list = text[0] == '[';
    text = trimmed(text.substr(1), kTextSpace);
    if (is_list)
        return text.starts_with('{') || text.starts_with('"') ? std::optional<std::string_view>("JSON") : std::nullopt;
    const std::size_t end = text.starts_with('"') ? text.find('"', 1) : text.npos;
    const bool is_json = end != text.npos && trimmed(text.substr(end + 1), kTextSpace).starts_with(':');
    return is_json ? std::optional<std::string_view>("JSON") : std::nullopt;
}

Result<std::string_view> asset_text(std::span<const std::byte> bytes) {
    if (bytes.size() > kScannedTextBytesMax)
        return Error(ErrorCode::limit, "text of " + std::to_string(bytes.size()) + " bytes, at most " +
                                           std::to_string(kScannedTextBytesMax) + " are scanned");
    if (as_text(bytes).starts_with("\xff\xfe") || as_text(bytes).starts_with("\xfe\xff"))
        return Error(ErrorCode::malformed, "the text is UTF-16; save it as UTF-8");
    const std::string_view text = without_mark(bytes);
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
