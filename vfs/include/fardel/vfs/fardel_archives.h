/* fardel_archives.h: legacy archives (zip, pk3, 7z, …) for the C API. Only this part of it needs PhysicsFS.
 *
 * It is in a separate library, libfardel-c-archives.so, which works with the libfardel.so of exactly the same version.
 * docs/c-api.md says how to link it.
 */
#ifndef FARDEL_VFS_FARDEL_ARCHIVES_H
#define FARDEL_VFS_FARDEL_ARCHIVES_H

#include <fardel/vfs/fardel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From now on fardel_mount_file() of `vfs` mounts legacy archives too; without this it returns
 * FARDEL_ERROR_UNSUPPORTED. Mounts that exist stay as they are. Errors: argument. */
FARDEL_API fardel_code fardel_enable_archives(fardel_vfs* vfs, fardel_error* error);

#ifdef __cplusplus
}
#endif

#endif
