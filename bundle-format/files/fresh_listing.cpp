#include <fardel/format/fresh_listing.h>

#include <fardel/base/folder.h>
#include <fardel/base/shared_disk.h>
#include <fardel/format/staged_file.h>

namespace fardel {

Status refresh_listing(const FilePath& folder) {
    const FilePath root = folder.cut(folder.root_size());
    FARDEL_TRY_ASSIGN(const Descriptor opened, open_folder(root, root));
    if (!may_be_shared(opened))
        return ok();
    FARDEL_TRY(create_folders_below_root(folder, Lasting::yes));
    // A client lists a folder anew after it has changed something in it. The file is removed again.
    FARDEL_TRY(stage_file(folder / "refreshed"));
    return ok();
}

}  // namespace fardel
