/* SDL 2's RWops over Fardel's C API: whatever loads from an SDL_RWops loads from a bundle. C11 and C++.
 *
 * In libfardel_sdl2.a; docs/languages.md says how to link it. A program that uses it includes <SDL.h>, too.
 */
#ifndef FARDEL_VFS_FARDEL_RWOPS_H
#define FARDEL_VFS_FARDEL_RWOPS_H

#include <fardel/vfs/fardel.h>

#ifdef __cplusplus
extern "C" {
#endif

struct SDL_RWops; /* of <SDL.h> */

/* The asset at a path, for reading; SDL_RWclose() closes it. Null and SDL_GetError() on failure. It may outlive the
 * mount and the VFS. A byte that fails its check is an error of the read, and never other bytes. One thread at a time.
 */
struct SDL_RWops* fardel_rwops_open(const fardel_vfs* vfs, const char* path);

#ifdef __cplusplus
}
#endif

#endif
