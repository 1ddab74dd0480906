#include <fardel/sdl2/fardel_rwops.h>

#include <SDL.h>

typedef struct {
    fardel_file* file;
    Sint64 size_bytes;
    Sint64 position;
} Stream;

static Stream* stream_of(SDL_RWops* rwops) { return (Stream*)rwops->hidden.unknown.data1; }

static int SDLCALL set_error(const fardel_error* error) {
    return SDL_SetError("%s: %s", fardel_code_name(error->code), error->text);
}

static Sint64 SDLCALL stream_size(SDL_RWops* rwops) { return stream_of(rwops)->size_bytes; }

static Sint64 SDLCALL stream_seek(SDL_RWops* rwops, Sint64 offset, int whence) {
    Stream* const stream = stream_of(rwops);
    const Sint64 base = whence == RW_SEEK_SET   ? 0
                        : whence == RW_SEEK_CUR ? stream->position
                        : whence == RW_SEEK_END ? stream->size_bytes
                                                : -1;
    if (base < 0 || offset < -base || offset > SDL_MAX_SINT64 - base)
        return SDL_SetError("fardel: the seek position is out of range");
    stream->position = base + offset;
    return stream->position;
}

static size_t SDLCALL stream_read(SDL_RWops* rwops, void* out, size_t size_bytes, size_t count) {
    Stream* const stream = stream_of(rwops);
    fardel_error error = FARDEL_ERROR_INIT;
    size_t read_bytes = 0;
    if (size_bytes == 0 || count == 0)
        return 0;
    if (count > SIZE_MAX / size_bytes)
        count = SIZE_MAX / size_bytes;
    if (fardel_read_at(stream->file, (uint64_t)stream->position, out, size_bytes * count, &read_bytes, &error) !=
        FARDEL_OK) {
        set_error(&error);
        return 0;
    }
    stream->position += (Sint64)read_bytes;
    return read_bytes / size_bytes;
}

static size_t SDLCALL stream_write(SDL_RWops* rwops, const void* bytes, size_t size_bytes, size_t count) {
    (void)rwops;
    (void)bytes;
    (void)size_bytes;
    (void)count;
    SDL_SetError("fardel: bundles are not written to");
    return 0;
}

static int SDLCALL stream_close(SDL_RWops* rwops) {
    if (rwops != NULL) {
        fardel_close(stream_of(rwops)->file);
        SDL_free(stream_of(rwops));
        SDL_FreeRW(rwops);
    }
    return 0;
}

SDL_RWops* fardel_rwops_open(const fardel_vfs* vfs, const char* path) {
    fardel_error error = FARDEL_ERROR_INIT;
    fardel_file* file = NULL;
    if (fardel_open(vfs, path, &file, &error) != FARDEL_OK) {
        set_error(&error);
        return NULL;
    }
    SDL_RWops* const rwops = SDL_AllocRW();
    Stream* const stream = SDL_malloc(sizeof *stream);
    if (rwops == NULL || stream == NULL) {
        SDL_free(stream);
        if (rwops != NULL)
            SDL_FreeRW(rwops);
        fardel_close(file);
        SDL_OutOfMemory();
        return NULL;
    }
    stream->file = file;
    stream->size_bytes = (Sint64)fardel_file_size(file); /* the format has no larger assets */
    stream->position = 0;
    rwops->size = stream_size;
    rwops->seek = stream_seek;
    rwops->read = stream_read;
    rwops->write = stream_write;
    rwops->close = stream_close;
    rwops->type = SDL_RWOPS_UNKNOWN;
    rwops->hidden.unknown.data1 = stream;
    rwops->hidden.unknown.data2 = NULL;
    return rwops;
}
