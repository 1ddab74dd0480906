#include <fardel/base/descriptor.h>

#include "system_call_windows.h"

namespace fardel {
namespace {

bool close_handle(SystemNumber number, Descriptor::Kind kind) noexcept {
    return kind == Descriptor::Kind::socket ? ::closesocket(static_cast<SOCKET>(number)) == 0
                                            : ::CloseHandle(handle_from(number)) != 0;
}

}  // namespace

void Descriptor::close() noexcept {
    if (number_ >= 0)
        close_handle(release(), kind_);
}

Status Descriptor::close_reporting(std::string_view subject) {
    return number_ >= 0 && close_handle(release(), kind_) ? ok() : Status(system_error(EBADF, subject));
}

Result<Descriptor> Descriptor::duplicate(std::string_view subject) const {
    HANDLE copy = nullptr;
    if (number_ < 0)
        return system_error(EBADF, subject);
    if (!::DuplicateHandle(::GetCurrentProcess(), handle_of(*this), ::GetCurrentProcess(), &copy, 0, FALSE,
                           DUPLICATE_SAME_ACCESS))
        return last_error(subject);
    Descriptor duplicate = descriptor_from(copy, kind_);
    duplicate.position_ = position_;
    return duplicate;
}

}  // namespace fardel
