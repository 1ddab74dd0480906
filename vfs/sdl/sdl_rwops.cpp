#include <fardel/vfs/fardel_rwops.h>

#include <SDL.h>

#include <cstdint>

namespace {

// An open file, and the position that a file of the C API does not have.
struct RwopsStream {
    fardel_file* file;
    Sint64 size_bytes;
    Sint64 position;
};

RwopsStream& stream_of(SDL_RWops* rwops) { return *static_cast<RwopsStream*>(rwops->hidden.unknown.data1); }

void set_sdl_error(const fardel_error& error) { SDL_SetError("%s: %s", fardel_code_name(error.code), error.text); }

Sint64 SDLCALL stream_size(SDL_RWops* rwops) { return stream_of(rwops).size_bytes; }

Sint64 SDLCALL stream_seek(SDL_RWops* rwops, Sint64 offset, int whence) {
    RwopsStream& stream = stream_of(rwops);
    const Sint64 base = whence == RW_SEEK_SET   ? 0
                        : whence == RW_SEEK_CUR ? stream.position
                        : whence == RW_SEEK_END ? stream.size_bytes
                                                : -1;
    if (base < 0 || offset < -base || offset > SDL_MAX_SINT64 - base)
        return SDL_SetError("fardel: the seek position is out of range");
    stream.position = base + offset;
    return stream.position;
}

size_t SDLCALL stream_read(SDL_RWops* rwops, void* out, size_t size_bytes, size_t count) {
    RwopsStream& stream = stream_of(rwops);
    fardel_error error = FARDEL_ERROR_INIT;
    size_t read_bytes = 0;
    if (size_bytes == 0 || count == 0)
        return 0;
    // A product that does not fit in size_t is more than any asset has.
    if (count > SIZE_MAX / size_bytes)
        count = SIZE_MAX / size_bytes;
    if (fardel_read_at(stream.file, static_cast<uint64_t>(stream.position), out, size_bytes * count, &read_bytes,
                       &error) != FARDEL_OK) {
        set_sdl_error(error);
        return 0;
    }
    stream.position += static_cast<Sint64>(read_bytes);
    return read_bytes / size_bytes;
}

size_t SDLCALL stream_write(SDL_RWops*, const void*, size_t, size_t) {
    SDL_SetError("fardel: bundles are not written to");
    return 0;
}

int SDLCALL stream_close(SDL_RWops* rwops) {
    if (rwops != nullptr) {
        fardel_close(stream_of(rwops).file);
        SDL_free(&stream_of(rwops));
        SDL_FreeRW(rwops);
    }
    return 0;
}

}  // namespace

SDL_RWops* fardel_rwops_open(const fardel_vfs* vfs, const char* path) {
    fardel_error error = FARDEL_ERROR_INIT;
    fardel_file* file = nullptr;
    if (fardel_open(vfs, path, &file, &error) != FARDEL_OK) {
        set_sdl_error(error);
        return nullptr;
    }
    SDL_RWops* const rwops = SDL_AllocRW();
    auto* const stream = static_cast<RwopsStream*>(SDL_malloc(sizeof(RwopsStream)));
    if (rwops == nullptr || stream == nullptr) {
        SDL_free(stream);
        if (rwops != nullptr)
            SDL_FreeRW(rwops);
        fardel_close(file);
        SDL_OutOfMemory();
        return nullptr;
    }
    // The format has no asset whose size does not fit.
    *stream = {file, static_cast<Sint64>(fardel_file_size(file)), 0};
    rwops->size = stream_size;
    rwops->seek = stream_seek;
    rwops->read = stream_read;
    rwops->write = stream_write;
    rwops->close = stream_close;
    rwops->type = SDL_RWOPS_UNKNOWN;
    rwops->hidden.unknown.data1 = stream;
    rwops->hidden.unknown.data2 = nullptr;
    return rwops;
}
