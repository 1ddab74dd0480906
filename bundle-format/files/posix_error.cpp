#include "posix_error.h"

#include <cerrno>
#include <string>
#include <system_error>

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
        case ENXIO:  // a socket, or a FIFO that nobody reads
        case ENODEV: return ErrorCode::malformed;
        case ENAMETOOLONG:
        case EFBIG:
        case EOVERFLOW: return ErrorCode::limit;
        case ENOSPC:
        case EDQUOT: return ErrorCode::no_space;
        case ETXTBSY:
        case EBUSY: return ErrorCode::busy;
        default: return ErrorCode::io;
    }
}

}  // namespace

Error posix_error(int number, std::string_view subject) {
    return Error(code_of(number), std::string(subject) + ": " + std::generic_category().message(number));
}

}  // namespace fardel
