// Pipe: carries bytes between two descriptors, to talk to child processes and to wake a waiting thread.
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

// Both ends are blocking and are closed on exec.
Result<Pipe> open_pipe();

// Makes the descriptor non-blocking: a call that would wait fails with EAGAIN.
Status stop_waiting(const Descriptor& descriptor, std::string_view subject);

// Returns true when a descriptor can be read without waiting, has ended or failed; false at the deadline, or after a
// signal was handled. Descriptor objects without a descriptor are skipped. Without a deadline it waits indefinitely.
Result<bool> wait_readable(std::span<const Descriptor* const> descriptors, std::optional<SteadyTime> deadline);

// Writes one byte; returns false on failure. Safe in a signal handler; preserves errno.
bool write_byte(SystemNumber descriptor, char byte) noexcept;

}  // namespace fardel
