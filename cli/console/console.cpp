#include "console.h"

#include <fardel/base/system_error.h>
#include <fardel/base/terminal.h>
#include <fardel/base/text_fields.h>
#include <fardel/format/name.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>

namespace fardel {
namespace {

constexpr std::size_t kPendingBytesMax = 64 * 1024;
constexpr std::size_t kLineBytesMax = 4000;

bool colours_wanted() {
    const char* const refused = std::getenv("NO_COLOR");
    return refused == nullptr || *refused == '\0';
}

std::string_view escape_of(Colour colour) {
    switch (colour) {
        case Colour::red: return "\x1b[31m";
        case Colour::yellow: return "\x1b[33m";
        case Colour::green: return "\x1b[32m";
        case Colour::faint: return "\x1b[2m";
    }
    return "";
}

}  // namespace

Console::Console() {
    occupy_standard_streams();
    survive_closed_pipes();
    colours_ = colours_wanted() && shows_escapes(StandardStream::output);
    watched_ = shows_escapes(StandardStream::errors);
}

Console::~Console() = default;

Status Console::write(std::span<const std::byte> bytes) { return write(as_text(bytes)); }

Status Console::write(std::string_view text) {
    has_output_ = has_output_ || !text.empty();
    if (pending_.size() + text.size() < kPendingBytesMax) {
        pending_ += text;
        return ok();
    }
    FARDEL_TRY(flush());
    return send(text);
}

Result<Exit> Console::print(std::string_view text, Exit exit) {
    FARDEL_TRY(write(text));
    return exit;
}

Status Console::flush() {
    const Status sent = send(pending_);
    pending_.clear();
    return sent;
}

Status Console::send(std::string_view text) {
    if (reader_gone_)
        return system_error(EPIPE, "standard output");
    Status sent = write_whole(StandardStream::output, text);
    reader_gone_ = !sent && sent.error().system_number() == EPIPE;
    return sent;
}

// Output of other programs is indented by two spaces, so that none of it can look like a line of Fardel.
void Console::say(std::string_view line) {
    std::string safe;
    for (std::size_t end; (end = line.find("\n  ")) != std::string_view::npos; line.remove_prefix(end + 1))
        safe += printable(line.substr(0, end), kLineBytesMax) + '\n';
    safe += printable(line, kLineBytesMax) + '\n';
    static_cast<void>(write_whole(StandardStream::errors, safe));
}

void Console::say(const Error& error) {
    say(fmt::format("fardel: {} [{}]", error.message(), error_code_name(error.code())));
}

std::string Console::paint(Colour colour, std::string_view text) const {
    return colours_ ? fmt::format("{}{}\x1b[0m", escape_of(colour), text) : std::string(text);
}

void Console::draw(std::string_view bytes) noexcept { static_cast<void>(write_whole(StandardStream::errors, bytes)); }

}  // namespace fardel
