#include <fardel/base/terminal.h>

#include "console_windows.h"

namespace fardel {
namespace {

Descriptor stream_of(StandardStream stream) noexcept { return Descriptor(static_cast<SystemNumber>(stream)); }
HANDLE handle_of_stream(StandardStream stream) noexcept { return handle_from(static_cast<SystemNumber>(stream)); }

}  // namespace

bool is_terminal(StandardStream stream) noexcept {
    const HANDLE handle = handle_of_stream(stream);
    DWORD mode = 0;
    if (!::GetConsoleMode(handle, &mode))
        return false;
    // A console that takes no colours and no cursor movements is not what callers ask for.
    return stream == StandardStream::input || (mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0 ||
           ::SetConsoleMode(handle, mode | ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

bool shows_escapes(StandardStream stream) noexcept { return is_terminal(stream); }

unsigned columns_of(StandardStream stream) noexcept {
    constexpr unsigned kUsual = 80;
    CONSOLE_SCREEN_BUFFER_INFO screen{};
    if (!::GetConsoleScreenBufferInfo(handle_of_stream(stream), &screen))
        return kUsual;
    return static_cast<unsigned>(screen.srWindow.Right - screen.srWindow.Left + 1);
}

Status write_whole(StandardStream stream, std::string_view text) {
    Descriptor opened = stream_of(stream);
    Status written = write_whole(opened, std::as_bytes(std::span(text)),
                                 stream == StandardStream::output ? "standard output" : "standard error");
    static_cast<void>(opened.release());
    return written;
}

void occupy_standard_streams() noexcept {
    constexpr DWORD kStreams[] = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
    for (const DWORD stream : kStreams)
        if (const HANDLE given = ::GetStdHandle(stream); given == nullptr || given == INVALID_HANDLE_VALUE)
            ::SetStdHandle(stream, ::CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr,
                                                 OPEN_EXISTING, 0, nullptr));  // writing to it fails, as it should
}

void survive_closed_pipes() noexcept {}  // writing to one is an error here, and no signal

Result<Descriptor> open_terminal() {
    Descriptor terminal =
        descriptor_from(::CreateFileW(L"CONIN$", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                                      nullptr, OPEN_EXISTING, 0, nullptr));
    if (!terminal)
        return last_error("the console");
    return terminal;
}

void discard_typed(const Descriptor& terminal) noexcept { ::FlushConsoleInputBuffer(handle_of(terminal)); }

struct EchoOff::Settings {
    DWORD mode;
};

EchoOff::EchoOff(const Descriptor& terminal) : terminal_(terminal) {
    DWORD mode = 0;
    if (!::GetConsoleMode(handle_of(terminal_), &mode))
        return;
    const DWORD quiet = (mode & ~DWORD{ENABLE_ECHO_INPUT}) | ENABLE_LINE_INPUT | ENABLE_PROCESSED_INPUT;
    if (::SetConsoleMode(handle_of(terminal_), quiet))
        before_ = std::make_unique<Settings>(Settings{mode});
}

EchoOff::~EchoOff() {
    if (!before_)
        return;
    ::SetConsoleMode(handle_of(terminal_), before_->mode);
    static_cast<void>(write_console(terminal_, "\n", "the console"));  // which was typed and not shown
}

}  // namespace fardel
