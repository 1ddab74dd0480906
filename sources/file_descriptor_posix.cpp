#include "file_descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace fardel {

FileDescriptor::~FileDescriptor() {
    if (number_ >= 0)
        ::close(number_);
}

FileDescriptor open_at(int folder, const char* name, int more_flags) noexcept {
    int number;
    do {
        number = ::openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | more_flags);
    } while (number < 0 && errno == EINTR);
    return FileDescriptor(number);
}

Error error_from_errno(int number, std::string_view what) {
    ErrorCode code = ErrorCode::io;
    if (number == ENOENT || number == ENOTDIR)
        code = ErrorCode::missing;
    else if (number == EACCES || number == EPERM)
        code = ErrorCode::denied;
    return Error(code, std::string(what) + ": " + std::generic_category().message(number));
}

}  // namespace fardel
