/* Mounts a bundle through functions of the game's own, as for an Android asset, a console's calls or an engine's
 * package: the library opens no file. Without BUNDLE it mounts the one that `fardel append` has put behind this very
 * program. In C11.
 *
 *     sample_own_files [BUNDLE] POLICY PATH
 */
#define _POSIX_C_SOURCE 200809L

#include <fardel/vfs/fardel.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- What the engine has ---------------------------------------------------------------------------------------- */

typedef struct engine_file {
    int number;
    uint64_t size_bytes;
} engine_file;

static engine_file* engine_open(const char* path) {
    struct stat status;
    engine_file* file = malloc(sizeof *file);
    if (file == NULL)
        return NULL;
    file->number = open(path, O_RDONLY | O_CLOEXEC);
    if (file->number < 0 || fstat(file->number, &status) != 0) {
        free(file);
        return NULL;
    }
    file->size_bytes = (uint64_t)status.st_size;
    return file;
}

static int engine_read(engine_file* file, uint64_t offset, char* buffer, size_t size_bytes) {
    while (size_bytes > 0) {
        const ssize_t count = pread(file->number, buffer, size_bytes, (off_t)offset);
        if (count <= 0)
            return 0;
        buffer += count;
        offset += (uint64_t)count;
        size_bytes -= (size_t)count;
    }
    return 1;
}

static void engine_close(engine_file* file) {
    close(file->number);
    free(file);
}

/* ---- The same as a reader: any thread may call read_at ---------------------------------------------------------- */

static fardel_code read_at(void* context, uint64_t offset, void* buffer, size_t size_bytes, fardel_error* error) {
    if (engine_read(context, offset, buffer, size_bytes))
        return FARDEL_OK;
    snprintf(error->text, sizeof error->text, "the engine cannot read its file");
    return FARDEL_ERROR_IO;
}

static void release(void* context) { engine_close(context); }

static fardel_code fill_in_reader(const char* path, fardel_reader* reader, fardel_error* error) {
    if (path == NULL)
        return fardel_appended_reader(NULL, reader, error);
    engine_file* file = engine_open(path);
    if (file == NULL) {
        snprintf(error->text, sizeof error->text, "%s: the engine has no such file", path);
        return FARDEL_ERROR_MISSING;
    }
    reader->context = file;
    reader->size_bytes = file->size_bytes;
    reader->read_at = read_at;
    reader->release = release;
    return FARDEL_OK;
}

static fardel_code print_file(const fardel_file* file, fardel_error* error) {
    char chunk[65536];
    uint64_t offset = 0;
    size_t count = 0;
    do {
        const fardel_code code = fardel_read_at(file, offset, chunk, sizeof chunk, &count, error);
        if (code != FARDEL_OK)
            return code;
        fwrite(chunk, 1, count, stdout);
        offset += count;
    } while (count > 0);
    return FARDEL_OK;
}

int main(int argc, char** argv) {
    if (argc != 3 && argc != 4)
        return 2;
    fardel_error error = FARDEL_ERROR_INIT;
    fardel_reader reader = FARDEL_READER_INIT;
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT; /* as for a bundle's file: whichever it has */
    options.policy_path = argv[argc - 2];
    options.label = argc == 4 ? argv[1] : "the game's own program";
    options.priority = 1;

    fardel_vfs* vfs = NULL;
    fardel_file* file = NULL;
    fardel_code code = fardel_vfs_create(NULL, &vfs, &error);
    if (code == FARDEL_OK)
        code = fill_in_reader(argc == 4 ? argv[1] : NULL, &reader, &error);
    if (code == FARDEL_OK)
        code = fardel_mount_reader(vfs, &reader, &options, NULL, &error); /* takes the reader over */
    if (code == FARDEL_OK)
        code = fardel_open(vfs, argv[argc - 1], &file, &error);
    if (code == FARDEL_OK)
        code = print_file(file, &error);
    if (code != FARDEL_OK)
        fprintf(stderr, "%s: %s\n", fardel_code_name(code), error.text);
    fardel_close(file);
    fardel_vfs_destroy(vfs);
    return code == FARDEL_OK ? 0 : 1;
}
