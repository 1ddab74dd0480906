#include <fardel/base/pipe.h>

#include "system_call.h"

#include <poll.h>
#include <unistd.h>

#include <vector>

namespace fardel {

Result<Pipe> open_pipe() {
    int ends[2];
    if (open_pipe_ends(ends) != 0)
        return system_error(errno, "pipe");
    return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

Status stop_waiting(const Descriptor& descriptor, std::string_view subject) {
    const int flags = ::fcntl(descriptor.number(), F_GETFL);
    return flags >= 0 && ::fcntl(descriptor.number(), F_SETFL, flags | O_NONBLOCK) == 0
               ? ok()
               : Status(system_error(errno, subject));
}

Result<bool> wait_readable(std::span<const Descriptor* const> descriptors, std::optional<SteadyTime> deadline) {
    std::vector<pollfd> waiting;
    for (const Descriptor* const descriptor : descriptors)
        waiting.push_back({descriptor->number(), POLLIN, 0});  // poll ignores negative numbers
    const int ready =
        ::poll(waiting.data(), static_cast<nfds_t>(waiting.size()), deadline ? milliseconds_until(*deadline) : -1);
    if (ready < 0 && errno != EINTR)
        return system_error(errno, "poll");
    return ready > 0;
}

bool write_byte(SystemNumber descriptor, char byte) noexcept {
    const int before = errno;
    const bool written = repeat([&] { return ::write(descriptor, &byte, 1); }) == 1;
    errno = before;
    return written;
}

}  // namespace fardel
