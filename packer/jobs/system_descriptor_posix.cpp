#include "system_descriptor.h"

#include <cerrno>
#include <string>
#include <system_error>

#include <unistd.h>

namespace fardel {
namespace {

ErrorCode code_of(int number) noexcept {
    switch (number) {
        case ENOENT:
        case ENOTDIR: return ErrorCode::missing;
        case EACCES:
        case EPERM:
        case EROFS: return ErrorCode::denied;
        case EISDIR:
        case ELOOP:
        case ENOEXEC: return ErrorCode::malformed;
        case E2BIG:
        case ENAMETOOLONG:
        case EFBIG: return ErrorCode::limit;
        case ENOSPC:
        case EDQUOT: return ErrorCode::no_space;
        case ETXTBSY:
        case EBUSY: return ErrorCode::busy;
        case EEXIST: return ErrorCode::conflict;
        default: return ErrorCode::io;
    }
}

}  // namespace

void SystemDescriptor::close() noexcept {
    if (number_ >= 0)
        ::close(number_);
    number_ = -1;
}

Error system_failure(int number, std::string_view subject) {
    return Error(code_of(number), std::string(subject) + ": " + std::generic_category().message(number));
}

}  // namespace fardel
