#include <fardel/base/pipe.h>

#include "system_call_windows.h"

#include <algorithm>
#include <thread>

namespace fardel {
namespace {

constexpr DWORD kPipeBytes = 64u << 10;
// Windows has no call that waits for bytes of several pipes and leaves them there.
constexpr auto kBetweenLooks = std::chrono::milliseconds(2);

bool is_readable(const Descriptor& descriptor) noexcept {
    const HANDLE handle = handle_of(descriptor);
    DWORD mode = 0;
    if (::GetConsoleMode(handle, &mode))
        return ::WaitForSingleObject(handle, 0) == WAIT_OBJECT_0;  // a key was pressed
    if (::GetFileType(handle) != FILE_TYPE_PIPE)
        return true;
    DWORD waiting = 0;
    return !::PeekNamedPipe(handle, nullptr, 0, nullptr, &waiting, nullptr) || waiting > 0;
}

}  // namespace

Result<Pipe> open_pipe() {
    HANDLE read_end = nullptr;
    HANDLE write_end = nullptr;
    if (!::CreatePipe(&read_end, &write_end, nullptr, kPipeBytes))
        return last_error("pipe");
    return Pipe{descriptor_from(read_end), descriptor_from(write_end)};
}

Status stop_waiting(const Descriptor& descriptor, std::string_view subject) {
    if (!descriptor)
        return system_error(EBADF, subject);
    DWORD mode = PIPE_READMODE_BYTE | PIPE_NOWAIT;
    return status_of_call(::SetNamedPipeHandleState(handle_of(descriptor), &mode, nullptr, nullptr), subject);
}

Result<bool> wait_readable(std::span<const Descriptor* const> descriptors, std::optional<SteadyTime> deadline) {
    for (;;) {
        if (std::ranges::any_of(descriptors, [](const Descriptor* one) { return *one && is_readable(*one); }))
            return true;
        if (deadline && SteadyClock::now() >= *deadline)
            return false;
        std::this_thread::sleep_for(kBetweenLooks);
    }
}

bool write_byte(SystemNumber descriptor, char byte) noexcept {
    DWORD count = 0;
    return descriptor >= 0 && ::WriteFile(handle_from(descriptor), &byte, 1, &count, nullptr) && count == 1;
}

}  // namespace fardel
