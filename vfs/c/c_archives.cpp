#include <fardel/vfs/fardel_archives.h>

#include <fardel/sources/legacy_archives.h>
#include <fardel/vfs/private_seam.h>

fardel_code fardel_enable_archives(fardel_vfs* vfs, fardel_error* error) {
    return fardel_private_set_archives(vfs, fardel::make_archive_reader, error);
}
