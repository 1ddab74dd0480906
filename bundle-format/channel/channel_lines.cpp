#include "channel_lines.h"

#include "names/unicode.h"

#include <fardel/base/ascii.h>
#include <fardel/base/text_fields.h>
#include <fardel/format/name.h>
#include <fardel/format/printable.h>

#include <algorithm>

namespace fardel {
namespace {

constexpr std::string_view kChannelTextVersion = "1";
constexpr std::size_t kChannelNameBytesMax = 128;

std::string describe(ChannelText kind) { return "channel " + std::string(channel_text_name(kind)); }

}  // namespace

std::string_view channel_text_name(ChannelText text) noexcept {
    switch (text) {
        case ChannelText::root: return "root";
        case ChannelText::release: return "release";
        case ChannelText::head: break;
    }
    return "head";
}

std::size_t channel_body_bytes_max(ChannelText kind) noexcept {
    switch (kind) {
        case ChannelText::root: return 256u << 10;
        case ChannelText::release: return 64u << 20;
        case ChannelText::head: break;
    }
    return 8u << 10;
}

Status verify_channel_name(std::string_view name) {
    FARDEL_TRY(verify_name(name));
    if (name.size() > kChannelNameBytesMax)
        return Error(ErrorCode::limit, "the name of a channel has at most " + std::to_string(kChannelNameBytesMax) +
                                           " bytes, " + in_quotes(name) + " has " + std::to_string(name.size()));
    const auto is_allowed = [](char c) {
        return is_ascii_lower(c) || is_ascii_digit(c) || c == '.' || c == '_' || c == '-' || c == '/';
    };
    if (!std::ranges::all_of(name, is_allowed))
        return Error(ErrorCode::malformed, "the name of a channel consists of a-z, 0-9, '.', '_', '-' and '/'; " +
                                               in_quotes(name) + " does not");
    return ok();
}

Result<ChannelLines> ChannelLines::open(ChannelText kind, std::string_view body) {
    if (body.size() > channel_body_bytes_max(kind))
        return Error(ErrorCode::limit, describe(kind) + ": " + std::to_string(body.size()) + " bytes, at most " +
                                           std::to_string(channel_body_bytes_max(kind)) + " allowed");
    if (!body.ends_with('\n'))
        return Error(ErrorCode::malformed, describe(kind) + ": does not end with a line feed; has it been cut off?");
    ChannelLines lines(kind, body);
    const std::string_view first = read_until(lines.rest_, '\n');
    if (first.ends_with('\r'))
        return lines.bad_line("ends in CR LF; save it with LF");
    const std::string title = channel_title(kind);
    const auto stem = std::string_view(title).substr(0, title.size() - kChannelTextVersion.size());
    if (!first.starts_with(stem))
        return lines.bad_line("not \"" + title + "\"");
    if (first.substr(stem.size()) != kChannelTextVersion)
        return Error(ErrorCode::unsupported, describe(kind) + ": line 1: not a version that this library knows");
    return lines;
}

bool ChannelLines::is_next(std::string_view word) const noexcept {
    return rest_.size() > word.size() && rest_.starts_with(word) && rest_[word.size()] == ' ';
}

Result<std::string_view> ChannelLines::read_field(std::string_view word) {
    const bool is_expected = is_next(word);
    const std::string_view line = read_line();
    if (!is_expected)
        return bad_line("expected \"" + std::string(word) + " …\"");
    if (!unicode::is_plain_text(line))
        return bad_line("not UTF-8 without control characters");
    return line.substr(word.size() + 1);
}

Result<std::uint64_t> ChannelLines::read_number(std::string_view word, std::uint64_t min) {
    FARDEL_TRY_ASSIGN(const std::string_view text, read_field(word));
    const auto number = parse_decimal(text, kChannelNumberMax);
    if (!number || *number < min)
        return bad_line("expected a number from " + std::to_string(min) + " to 2^53-1");
    return *number;
}

std::string_view ChannelLines::read_line() {
    ++number_;
    return read_until(rest_, '\n');
}

Status ChannelLines::finish() const {
    if (!rest_.empty())
        return Error(ErrorCode::malformed,
                     describe(kind_) + ": line " + std::to_string(number_ + 1) + ": not a line that belongs here");
    return ok();
}

Error ChannelLines::bad_line(std::string_view what) const {
    return Error(ErrorCode::malformed,
                 describe(kind_) + ": line " + std::to_string(number_) + ": " + std::string(what));
}

std::string channel_title(ChannelText kind) {
    return "fardel-channel-" + std::string(channel_text_name(kind)) + " " + std::string(kChannelTextVersion);
}

void append_line(std::string& text, std::string_view word, std::string_view value) {
    text.append(word).append(" ").append(value).append("\n");
}

void append_line(std::string& text, std::string_view word, std::uint64_t value) {
    append_line(text, word, std::to_string(value));
}

}  // namespace fardel
