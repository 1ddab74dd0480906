/* SDL's RWops over Fardel's C API: whatever loads from an SDL_RWops loads from a bundle. Two files to copy; C11, SDL 2.
 */
#ifndef FARDEL_RWOPS_H
#define FARDEL_RWOPS_H

#include <SDL.h>
#include <fardel/vfs/fardel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The asset at a path, for reading; SDL_RWclose() closes it. Null and SDL_GetError() on failure. It may outlive the
 * mount and the VFS. A byte that fails its check is an error of the read, and never other bytes. One thread at a time.
 */
SDL_RWops* fardel_rwops_open(const fardel_vfs* vfs, const char* path);

#ifdef __cplusplus
}
#endif

#endif
