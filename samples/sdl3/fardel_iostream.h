/* SDL 3's SDL_IOStream over Fardel's C API: whatever loads from an SDL_IOStream loads from a bundle. C11 and C++.
 *
 * Two files to copy. They are written from SDL 3.2's documentation: Debian 12 has no SDL 3 to build them with, so the
 * tests compile them with a stand-in for its header (docs/languages.md).
 */
#ifndef FARDEL_IOSTREAM_H
#define FARDEL_IOSTREAM_H

#include <SDL3/SDL.h>
#include <fardel/vfs/fardel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The asset at a path, for reading; SDL_CloseIO() closes it. Null and SDL_GetError() on failure. It may outlive the
 * mount and the VFS. A byte that fails its check is an error of the read, and never other bytes. One thread at a time.
 */
SDL_IOStream* fardel_iostream_open(const fardel_vfs* vfs, const char* path);

#ifdef __cplusplus
}
#endif

#endif
