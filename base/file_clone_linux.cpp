#include <fardel/base/file_clone.h>

#include "system_call.h"

#include <linux/fs.h>
#include <sys/ioctl.h>

namespace fardel {

Result<bool> clone_file(const Descriptor& from, const Descriptor& to, std::string_view subject) {
    if (repeat([&] { return ::ioctl(to.number(), FICLONE, from.number()); }) == 0)
        return true;
    // Whatever else is wrong shows again when the caller copies the bytes, and is reported then. Only whole files are
    // cloned: parts would have to lie at multiples of the disk's block, and blocks of bundles do not.
    switch (errno) {
        case EIO:
        case ENOSPC:
        case EDQUOT: return system_error(errno, subject);
        default: return false;  // another file system, one without reflinks, a file that must not be shared
    }
}

}  // namespace fardel
