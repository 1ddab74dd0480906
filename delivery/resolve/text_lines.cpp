#include "text_lines.h"

#include <fardel/base/text_fields.h>
#include <fardel/format/printable.h>

#include <algorithm>

namespace fardel {

Result<TextLines> TextLines::open(std::string_view what, std::string_view title, std::string_view text,
                                  std::size_t bytes_max) {
    const auto fail = [&](ErrorCode code, std::string_view why) {
        return Error(code, std::string(what) + ": " + std::string(why));
    };
    if (text.size() > bytes_max)
        return fail(ErrorCode::limit, "more than " + std::to_string(bytes_max) + " bytes");
    if (text.empty() || text.back() != '\n')
        return fail(ErrorCode::malformed, "its last line has no line feed; it is cut off, or another file");
    std::string_view rest = text;
    const std::string_view first = read_until(rest, '\n');
    if (first.ends_with('\r'))
        return fail(ErrorCode::malformed, "line 1 ends in CR LF; save it with LF");
    const std::string_view word = title.substr(0, title.rfind(' ') + 1);
    if (first != title)
        return first.starts_with(word)
                   ? fail(ErrorCode::unsupported,
                          "its first line is of a later version than \"" + std::string(title) + "\"")
                   : fail(ErrorCode::malformed, "its first line is not \"" + std::string(title) + "\"");
    const auto is_control = [](char c) { return (static_cast<unsigned char>(c) < ' ' && c != '\n') || c == '\x7f'; };
    if (std::ranges::any_of(text, is_control) || !is_utf8_text(text))
        return fail(ErrorCode::malformed, "it has a control character, or is not UTF-8");
    return TextLines(what, rest);
}

std::optional<std::string_view> TextLines::find(std::string_view word) {
    if (rest_.size() <= word.size() || !rest_.starts_with(word) || rest_[word.size()] != ' ')
        return std::nullopt;
    ++number_;
    return read_until(rest_, '\n').substr(word.size() + 1);
}

Status TextLines::finish() {
    if (rest_.empty())
        return ok();
    ++number_;
    return bad_line("this line does not belong here: " + in_short_quotes(rest_.substr(0, rest_.find('\n'))));
}

Error TextLines::bad_line(std::string_view what) const {
    return Error(ErrorCode::malformed, what_ + ", line " + std::to_string(number_) + ": " + std::string(what));
}

}  // namespace fardel
