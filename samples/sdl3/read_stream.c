/* fardel_iostream.c over a stand-in for SDL 3: its streams, and the functions of SDL that call them.
 *
 *     sample_read_stream FOLDER      FOLDER: for two files
 */
#include "fardel_iostream.h"

#include <SDL3/SDL.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct SDL_IOStream {
    SDL_IOStreamInterface functions;
    void* userdata;
    SDL_IOStatus status;
};

static char error_text[1024];
static int allocations;

bool SDL_SetError(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error_text, sizeof error_text, format, arguments);
    va_end(arguments);
    return false;
}
bool SDL_OutOfMemory(void) { return SDL_SetError("out of memory"); }
const char* SDL_GetError(void) { return error_text; }
void* SDL_malloc(size_t size) {
    ++allocations;
    return malloc(size);
}
void SDL_free(void* memory) {
    --allocations;
    free(memory);
}
SDL_IOStream* SDL_OpenIO(const SDL_IOStreamInterface* functions, void* userdata) {
    SDL_IOStream* const stream = malloc(sizeof *stream);
    if (stream == NULL)
        abort();
    *stream = (SDL_IOStream){*functions, userdata, SDL_IO_STATUS_READY};
    return stream;
}
bool SDL_CloseIO(SDL_IOStream* stream) {
    const bool is_closed = stream->functions.close(stream->userdata);
    free(stream);
    return is_closed;
}
SDL_IOStatus SDL_GetIOStatus(SDL_IOStream* stream) { return stream->status; }
Sint64 SDL_GetIOSize(SDL_IOStream* stream) { return stream->functions.size(stream->userdata); }
Sint64 SDL_SeekIO(SDL_IOStream* stream, Sint64 offset, SDL_IOWhence whence) {
    return stream->functions.seek(stream->userdata, offset, whence);
}
size_t SDL_ReadIO(SDL_IOStream* stream, void* ptr, size_t size) {
    stream->status = SDL_IO_STATUS_READY;
    return stream->functions.read(stream->userdata, ptr, size, &stream->status);
}
size_t SDL_WriteIO(SDL_IOStream* stream, const void* ptr, size_t size) {
    stream->status = SDL_IO_STATUS_READY;
    return stream->functions.write(stream->userdata, ptr, size, &stream->status);
}

static int failures;
#define CHECK(condition) check((condition), #condition, __LINE__)
static void check(bool is_true, const char* condition, int line) {
    if (is_true)
        return;
    ++failures;
    fprintf(stderr, "line %d: %s (%s)\n", line, condition, error_text);
}

static void write_text(const char* folder, const char* name, const char* text) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* const file = fopen(path, "wb");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
        abort();
}

int main(int argc, char** argv) {
    if (argc != 2)
        return 2;
    write_text(argv[1], "greeting.txt", "Hello from a bundle");
    write_text(argv[1], "edited.txt", "as it was mounted");
    fardel_error error = FARDEL_ERROR_INIT;
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    options.flags = FARDEL_MOUNT_ALLOW_UNSIGNED;
    fardel_vfs* vfs = NULL;
    if (fardel_vfs_create(NULL, &vfs, &error) != FARDEL_OK ||
        fardel_mount_file(vfs, argv[1], &options, NULL, &error) != FARDEL_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    CHECK(fardel_iostream_open(vfs, "/no such file") == NULL && strstr(SDL_GetError(), "missing: ") != NULL);
    SDL_IOStream* const edited = fardel_iostream_open(vfs, "/edited.txt");
    SDL_IOStream* const stream = fardel_iostream_open(vfs, "/greeting.txt");
    CHECK(edited != NULL && stream != NULL);
    fardel_vfs_destroy(vfs); /* open files stay usable */

    char buffer[64] = {0};
    CHECK(SDL_GetIOSize(stream) == 19);
    CHECK(SDL_ReadIO(stream, buffer, 5) == 5 && SDL_GetIOStatus(stream) == SDL_IO_STATUS_READY);
    CHECK(memcmp(buffer, "Hello", 6) == 0);
    CHECK(SDL_SeekIO(stream, -6, SDL_IO_SEEK_END) == 13 && SDL_SeekIO(stream, 2, SDL_IO_SEEK_CUR) == 15);
    CHECK(SDL_ReadIO(stream, buffer, sizeof buffer) == 4 && SDL_GetIOStatus(stream) == SDL_IO_STATUS_EOF);
    CHECK(memcmp(buffer, "ndle", 4) == 0);
    CHECK(SDL_ReadIO(stream, buffer, sizeof buffer) == 0 && SDL_GetIOStatus(stream) == SDL_IO_STATUS_EOF);
    CHECK(SDL_SeekIO(stream, -1, SDL_IO_SEEK_SET) == -1 && SDL_SeekIO(stream, SDL_MAX_SINT64, SDL_IO_SEEK_END) == -1);
    CHECK(SDL_SeekIO(stream, 0, (SDL_IOWhence)7) == -1 && SDL_SeekIO(stream, 0, SDL_IO_SEEK_CUR) == 19);
    CHECK(SDL_WriteIO(stream, "x", 1) == 0 && SDL_GetIOStatus(stream) == SDL_IO_STATUS_READONLY);

    /* Bytes that are no longer those that were mounted. */
    write_text(argv[1], "edited.txt", "as it was EDITED!");
    CHECK(SDL_ReadIO(edited, buffer, sizeof buffer) == 0 && SDL_GetIOStatus(edited) == SDL_IO_STATUS_ERROR);
    CHECK(strstr(SDL_GetError(), "conflict: ") != NULL);
    CHECK(SDL_CloseIO(edited) && SDL_CloseIO(stream));
    CHECK(allocations == 0);
    return failures == 0 ? 0 : 1;
}
