#include "fardel_iostream.h"

typedef struct {
    fardel_file* file;
    Sint64 size_bytes;
    Sint64 position;
} Stream;

static void set_error(const fardel_error* error) { SDL_SetError("%s: %s", fardel_code_name(error->code), error->text); }

static Sint64 SDLCALL stream_size(void* userdata) { return ((Stream*)userdata)->size_bytes; }

static Sint64 SDLCALL stream_seek(void* userdata, Sint64 offset, SDL_IOWhence whence) {
    Stream* const stream = userdata;
    const Sint64 base = whence == SDL_IO_SEEK_SET   ? 0
                        : whence == SDL_IO_SEEK_CUR ? stream->position
                        : whence == SDL_IO_SEEK_END ? stream->size_bytes
                                                    : -1;
    if (base < 0 || offset < -base || offset > SDL_MAX_SINT64 - base) {
        SDL_SetError("fardel: the seek position is out of range");
        return -1;
    }
    stream->position = base + offset;
    return stream->position;
}

static size_t SDLCALL stream_read(void* userdata, void* out, size_t size_bytes, SDL_IOStatus* status) {
    Stream* const stream = userdata;
    fardel_error error = FARDEL_ERROR_INIT;
    size_t read_bytes = 0;
    if (fardel_read_at(stream->file, (uint64_t)stream->position, out, size_bytes, &read_bytes, &error) != FARDEL_OK) {
        set_error(&error);
        *status = SDL_IO_STATUS_ERROR;
        return 0;
    }
    if (read_bytes < size_bytes)
        *status = SDL_IO_STATUS_EOF;
    stream->position += (Sint64)read_bytes;
    return read_bytes;
}

static size_t SDLCALL stream_write(void* userdata, const void* bytes, size_t size_bytes, SDL_IOStatus* status) {
    (void)userdata;
    (void)bytes;
    (void)size_bytes;
    SDL_SetError("fardel: bundles are not written to");
    *status = SDL_IO_STATUS_READONLY;
    return 0;
}

static bool SDLCALL stream_close(void* userdata) {
    Stream* const stream = userdata;
    fardel_close(stream->file);
    SDL_free(stream);
    return true;
}

SDL_IOStream* fardel_iostream_open(const fardel_vfs* vfs, const char* path) {
    fardel_error error = FARDEL_ERROR_INIT;
    fardel_file* file = NULL;
    if (fardel_open(vfs, path, &file, &error) != FARDEL_OK) {
        set_error(&error);
        return NULL;
    }
    Stream* const stream = SDL_malloc(sizeof *stream);
    if (stream == NULL) {
        fardel_close(file);
        SDL_OutOfMemory();
        return NULL;
    }
    stream->file = file;
    stream->size_bytes = (Sint64)fardel_file_size(file); /* the format has no larger assets */
    stream->position = 0;
    SDL_IOStreamInterface functions;
    SDL_INIT_INTERFACE(&functions);
    functions.size = stream_size;
    functions.seek = stream_seek;
    functions.read = stream_read;
    functions.write = stream_write;
    functions.close = stream_close;
    SDL_IOStream* const io = SDL_OpenIO(&functions, stream);
    if (io == NULL)
        stream_close(stream);
    return io;
}
