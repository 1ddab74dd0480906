#include <fardel/base/descriptor.h>

#include "system_call.h"

#include <unistd.h>

namespace fardel {

void Descriptor::close() noexcept {
    if (number_ >= 0)
        ::close(release());
}

// Linux closes the descriptor even if a signal interrupts the call, so the call is never repeated.
Status Descriptor::close_reporting(std::string_view subject) {
    return ::close(release()) == 0 || errno == EINTR ? ok() : Status(system_error(errno, subject));
}

Result<Descriptor> Descriptor::duplicate(std::string_view subject) const {
    return descriptor_of_call(::fcntl(number_, F_DUPFD_CLOEXEC, 0), subject);
}

}  // namespace fardel
