#include <fardel/base/file_lock.h>

#include "no_files.h"

namespace fardel {

std::unique_ptr<DiskHold> hold_locked(Descriptor) { return std::make_unique<DiskHold>(); }
Result<std::unique_ptr<DiskHold>> wait_for_lock(Descriptor, std::string_view path, LockSharing) {
    return no_files(path);
}
Result<Descriptor> create_lockable_file(const FilePath& path) { return no_files(path); }
Result<Descriptor> open_or_create_file(const FilePath& path) { return no_files(path); }
Result<Descriptor> open_lock_file(const FilePath& path) { return no_files(path); }

}  // namespace fardel
