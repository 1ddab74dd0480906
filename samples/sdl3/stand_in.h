/* A stand-in for SDL 3, which Debian 12 does not have: what fardel_iostream.c uses, written from the documentation of
 * SDL 3.2 (wiki.libsdl.org/SDL3/CategoryIOStream). It proves that the code compiles and keeps to the interface as it is
 * documented, and not that the real SDL calls it so.
 */
#ifndef FARDEL_STAND_IN_SDL3_H
#define FARDEL_STAND_IN_SDL3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SDLCALL
#define SDL_MAX_SINT64 INT64_MAX

typedef uint32_t Uint32;
typedef int64_t Sint64;

typedef enum SDL_IOStatus {
    SDL_IO_STATUS_READY,
    SDL_IO_STATUS_ERROR,
    SDL_IO_STATUS_EOF,
    SDL_IO_STATUS_NOT_READY,
    SDL_IO_STATUS_READONLY,
    SDL_IO_STATUS_WRITEONLY
} SDL_IOStatus;

typedef enum SDL_IOWhence { SDL_IO_SEEK_SET, SDL_IO_SEEK_CUR, SDL_IO_SEEK_END } SDL_IOWhence;

typedef struct SDL_IOStreamInterface {
    Uint32 version;
    Sint64 (*size)(void* userdata);
    Sint64 (*seek)(void* userdata, Sint64 offset, SDL_IOWhence whence);
    size_t (*read)(void* userdata, void* ptr, size_t size, SDL_IOStatus* status);
    size_t (*write)(void* userdata, const void* ptr, size_t size, SDL_IOStatus* status);
    bool (*flush)(void* userdata, SDL_IOStatus* status);
    bool (*close)(void* userdata);
} SDL_IOStreamInterface;

typedef struct SDL_IOStream SDL_IOStream;

#define SDL_INIT_INTERFACE(functions) (*(functions) = (SDL_IOStreamInterface){.version = sizeof(SDL_IOStreamInterface)})

SDL_IOStream* SDL_OpenIO(const SDL_IOStreamInterface* functions, void* userdata);
bool SDL_CloseIO(SDL_IOStream* stream);
SDL_IOStatus SDL_GetIOStatus(SDL_IOStream* stream);
Sint64 SDL_GetIOSize(SDL_IOStream* stream);
Sint64 SDL_SeekIO(SDL_IOStream* stream, Sint64 offset, SDL_IOWhence whence);
size_t SDL_ReadIO(SDL_IOStream* stream, void* ptr, size_t size);
size_t SDL_WriteIO(SDL_IOStream* stream, const void* ptr, size_t size);

bool SDL_SetError(const char* format, ...);
bool SDL_OutOfMemory(void);
const char* SDL_GetError(void);
void* SDL_malloc(size_t size);
void SDL_free(void* memory);

#endif
