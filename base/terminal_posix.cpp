#include <fardel/base/terminal.h>

#include "system_call.h"

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace fardel {

bool is_terminal(StandardStream stream) noexcept { return ::isatty(static_cast<int>(stream)) == 1; }

bool shows_escapes(StandardStream stream) noexcept {
    const char* const kind = std::getenv("TERM");
    return is_terminal(stream) && kind != nullptr && std::string_view(kind) != "dumb";
}

unsigned columns_of(StandardStream stream) noexcept {
    constexpr unsigned kUsual = 80;
    winsize size{};
    const bool is_known = ::ioctl(static_cast<int>(stream), TIOCGWINSZ, &size) == 0 && size.ws_col != 0;
    return is_known ? size.ws_col : kUsual;
}

Status write_whole(StandardStream stream, std::string_view text) {
    return write_rest(std::as_bytes(std::span(text)),
                      stream == StandardStream::output ? "standard output" : "standard error",
                      [&](auto part) { return ::write(static_cast<int>(stream), part.data(), part.size()); });
}

void occupy_standard_streams() noexcept {
    int descriptor;
    do {
        // A program that is started with a closed standard stream would give its number to the next file that it opens.
        descriptor = ::open("/dev/null", O_RDONLY);  // writing to it fails, as it should
    } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
    if (descriptor >= 0)
        ::close(descriptor);
}

void survive_closed_pipes() noexcept {
    struct sigaction action {};
    action.sa_handler = [](int) {};  // not SIG_IGN, which programs that we start would inherit
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGPIPE, &action, nullptr);
}

Result<Descriptor> open_terminal() {
    return descriptor_of_call(repeat([] { return ::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY); }), "/dev/tty");
}

void discard_typed(const Descriptor& terminal) noexcept { ::tcflush(terminal.number(), TCIFLUSH); }

struct EchoOff::Settings {
    termios values;
};

EchoOff::EchoOff(const Descriptor& terminal) : terminal_(terminal) {
    auto before = std::make_unique<Settings>();
    if (::tcgetattr(terminal_.number(), &before->values) != 0)
        return;
    termios quiet = before->values;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    quiet.c_lflag |= ECHONL | ICANON;
    if (::tcsetattr(terminal_.number(), TCSAFLUSH, &quiet) == 0)
        before_ = std::move(before);
}

EchoOff::~EchoOff() {
    if (before_)
        ::tcsetattr(terminal_.number(), TCSAFLUSH, &before_->values);
}

}  // namespace fardel
