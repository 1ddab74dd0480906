#include "console.h"
#include "descriptor.h"
#include "exit.h"

#include <fardel/format/name.h>

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace fardel {
namespace {

constexpr std::size_t kPendingBytesMax = 64 * 1024;
constexpr std::size_t kLineBytesMax = 4000;

// A descriptor 0–2 that the parent closed would be given to the first file we open, and our words would end up in it.
void occupy_standard_descriptors() {
    int descriptor;
    do {
        descriptor = ::open("/dev/null", O_RDONLY);  // writing to it fails, as it should
    } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
    if (descriptor >= 0)
        ::close(descriptor);
}

// An empty handler instead of SIG_IGN: programs that we start get the default back.
void survive_closed_pipes() {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGPIPE, &action, nullptr);
}

bool is_terminal(int descriptor) {
    const char* const kind = std::getenv("TERM");
    return ::isatty(descriptor) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

bool colours_wanted() {
    const char* const refused = std::getenv("NO_COLOR");
    return refused == nullptr || *refused == '\0';
}

// 0, or errno.
int write_whole(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return errno;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return 0;
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
    occupy_standard_descriptors();
    survive_closed_pipes();
    colours_ = colours_wanted() && is_terminal(STDOUT_FILENO);
    watched_ = is_terminal(STDERR_FILENO);
}

Console::~Console() = default;

Status Console::write(std::span<const std::byte> bytes) {
    return write(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

Status Console::write(std::string_view text) {
    if (pending_.size() + text.size() < kPendingBytesMax) {
        pending_ += text;
        return ok();
    }
    FARDEL_TRY(flush());
    return send(text);
}

Status Console::flush() {
    const Status sent = send(pending_);
    pending_.clear();
    return sent;
}

Status Console::send(std::string_view text) {
    const int failure = reader_gone_ ? EPIPE : write_whole(STDOUT_FILENO, text);
    if (failure == 0)
        return ok();
    reader_gone_ = failure == EPIPE;
    return system_error(failure, "standard output");
}

// What programs printed stands below on lines of its own, two spaces further in: nothing can look like a line of ours.
void Console::say(std::string_view line) {
    std::string safe;
    for (std::size_t end; (end = line.find("\n  ")) != std::string_view::npos; line.remove_prefix(end + 1))
        safe += printable(line.substr(0, end), kLineBytesMax) + '\n';
    safe += printable(line, kLineBytesMax) + '\n';
    write_whole(STDERR_FILENO, safe);
}

void Console::say(const Error& error) {
    const bool advised = error.message().find("; ") != std::string::npos;
    const std::string_view advice = advised ? "" : advice_for(error.code());
    say(fmt::format("fardel: {}{}{} [{}]", error.message(), advice.empty() ? "" : "; ", advice,
                    error_code_name(error.code())));
}

std::string Console::paint(Colour colour, std::string_view text) const {
    return colours_ ? fmt::format("{}{}\x1b[0m", escape_of(colour), text) : std::string(text);
}

void Console::draw(std::string_view bytes) noexcept { write_whole(STDERR_FILENO, bytes); }

}  // namespace fardel
