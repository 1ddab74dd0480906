#include "console_windows.h"

#include <algorithm>
#include <array>

namespace fardel {

bool is_console(const Descriptor& file) noexcept {
    DWORD mode = 0;
    return ::GetConsoleMode(handle_of(file), &mode) != 0;
}

Result<std::size_t> read_console(const Descriptor& file, std::span<std::byte> out, std::string_view subject) {
    constexpr std::size_t kBytesPerUnit = 3;  // of UTF-8 for a unit of UTF-16, at most
    constexpr wchar_t kCtrlZ = 0x1a;          // ends what is typed, as Ctrl-D does elsewhere
    std::array<wchar_t, 1024> line;
    const std::size_t units = out.size() / kBytesPerUnit;
    DWORD count = 0;
    if (units == 0) {
        // A caller that takes one byte at a time; what is not ASCII needs more of them.
        wchar_t unit = 0;
        if (!::ReadConsoleW(handle_of(file), &unit, 1, &count, nullptr))
            return last_error(subject);
        if (count == 0 || unit == kCtrlZ)
            return std::size_t{0};
        out[0] = static_cast<std::byte>(unit < 0x80 ? unit : L'?');
        return std::size_t{1};
    }
    if (!::ReadConsoleW(handle_of(file), line.data(), static_cast<DWORD>(std::min(units, line.size())), &count,
                        nullptr))
        return last_error(subject);
    if (count != 0 && line[0] == kCtrlZ)
        return std::size_t{0};
    const std::string text = to_utf8({line.data(), count});
    std::ranges::copy(std::as_bytes(std::span(text)), out.begin());
    return text.size();
}

Status write_console(const Descriptor& file, std::string_view text, std::string_view subject) {
    CONSOLE_SCREEN_BUFFER_INFO screen{};
    HANDLE output = handle_of(file);
    Descriptor opened;
    if (!::GetConsoleScreenBufferInfo(output, &screen)) {  // the console's input
        opened = descriptor_from(::CreateFileW(L"CONOUT$", GENERIC_READ | GENERIC_WRITE,
                                               FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr, OPEN_EXISTING, 0, nullptr));
        if (!opened)
            return last_error(subject);
        output = handle_of(opened);
    }
    const std::wstring wide = to_utf16(text);
    for (std::wstring_view rest = wide; !rest.empty();) {
        DWORD count = 0;
        constexpr std::size_t kUnitsPerCall = 8192;  // older consoles refuse more
        if (!::WriteConsoleW(output, rest.data(), static_cast<DWORD>(std::min(rest.size(), kUnitsPerCall)), &count,
                             nullptr))
            return last_error(subject);
        rest.remove_prefix(count);
    }
    return ok();
}

}  // namespace fardel
