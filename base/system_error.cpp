#include <fardel/base/system_error.h>

#include <cerrno>
#include <string>

namespace fardel {

ErrorCode error_code_of(int number) noexcept {
    switch (number) {
        case ENOENT:
        case ENOTDIR: return ErrorCode::missing;
        case EACCES:
        case EPERM:
        case EROFS: return ErrorCode::denied;
        case EISDIR:
        case ELOOP:
        case ENXIO:  // a socket, or a FIFO without a reader
        case ENODEV:
        case ENOEXEC: return ErrorCode::malformed;
        case ENAMETOOLONG:
        case EFBIG:
        case EOVERFLOW:
        case E2BIG: return ErrorCode::limit;
        case ENOSPC:
        case EDQUOT: return ErrorCode::no_space;
        case EBUSY:
        case ETXTBSY: return ErrorCode::busy;
        case EEXIST:
        case ENOTEMPTY: return ErrorCode::conflict;
        case ESTALE:
        case ENOTCONN:
        case ETIMEDOUT:
        case EHOSTDOWN:
        case EHOSTUNREACH:
        case ENETUNREACH:
        case ECONNREFUSED:
        case ECONNRESET: return ErrorCode::unreachable;
        case EPIPE: return ErrorCode::cancelled;
        default: return ErrorCode::io;
    }
}

Error system_error(int number, std::string_view subject) {
    // The system's text speaks of many links, and here a single one that must not be followed is the reason.
    const std::string message =
        number == ELOOP ? "a symbolic link that is not followed" : std::generic_category().message(number);
    return Error(error_code_of(number), std::string(subject) + ": " + message, number);
}

Error system_error(const std::error_code& failure, std::string_view subject) {
    return system_error(failure.value(), subject);
}

}  // namespace fardel
