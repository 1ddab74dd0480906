// Windows' access lists are inherited from the folder, so there is nothing to do for what is created in it.
#include <fardel/base/shared_mode.h>

namespace fardel {

void share_new_file(const Descriptor&, const FilePath&) {}
void share_new_folder(const FilePath&) {}

Status share_with_group(const std::string& path) {
    return Error(ErrorCode::unsupported,
                 path +
                     ": Windows has no groups of this kind; give the others access to the folder in its properties, "
                     "under Security, and what is created in it has the same access");
}

}  // namespace fardel
