#include <fardel/packer/build.h>
#include <fardel/tools/fardel_tools.h>
#include <fardel/vfs/private_seam.h>

fardel_code fardel_enable_projects(fardel_vfs* vfs, fardel_error* error) {
    return fardel_private_set_projects(
        vfs, [] { return fardel::make_project_reader(); }, error);
}
