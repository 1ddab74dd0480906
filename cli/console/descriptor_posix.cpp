#include "descriptor.h"

#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace fardel {
namespace {

ErrorCode code_of(int number) {
    switch (number) {
        case ENOENT:
        case ENOTDIR: return ErrorCode::missing;
        case EACCES:
        case EPERM:
        case EROFS: return ErrorCode::denied;
        case EEXIST: return ErrorCode::conflict;
        case EFBIG:
        case ENAMETOOLONG: return ErrorCode::limit;
        case ENOSPC:
        case EDQUOT: return ErrorCode::no_space;
        case EPIPE: return ErrorCode::cancelled;
        default: return ErrorCode::io;
    }
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
}

Descriptor::~Descriptor() {
    if (number_ >= 0)
        ::close(number_);
}

int Descriptor::release() noexcept { return std::exchange(number_, -1); }

Error system_error(int number, std::string_view what) {
    return Error(code_of(number), std::string(what) + ": " + std::generic_category().message(number));
}

}  // namespace fardel
