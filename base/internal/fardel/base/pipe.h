// Pipe: bytes from one descriptor to another, for children and for waking a thread that waits.
#pragma once

#include <fardel/base/clock.h>
#include <fardel/base/descriptor.h>
#include <fardel/base/result.h>

#include <optional>
#include <span>
#include <string_view>

namespace fardel {

struct Pipe {
    Descriptor read_end;
    Descriptor write_end;
};

// Both ends are closed on exec, and wait.
Result<Pipe> open_pipe();

// Reading and writing do not wait from now on: what would wait is EAGAIN.
Status stop_waiting(const Descriptor& descriptor, std::string_view subject);

// Returns true when one of them can be read without waiting, has ended or failed; false at the deadline, or when a
// signal was handled. Those that own no descriptor are passed over. No deadline: waits without end.
Result<bool> wait_readable(std::span<const Descriptor* const> descriptors, std::optional<SteadyTime> deadline);

// Writes one byte; false if that failed. A signal handler may call it, errno is kept.
bool write_byte(int descriptor, char byte) noexcept;

}  // namespace fardel
