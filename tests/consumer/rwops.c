/* SDL reads a file of a bundle: prints hello.txt. */
#include <SDL.h>
#include <fardel/vfs/fardel_rwops.h>

#include <stdio.h>

int main(int argc, char** argv) {
    if (argc != 2)
        return 2;
    fardel_error error = FARDEL_ERROR_INIT;
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    options.flags = FARDEL_MOUNT_ALLOW_UNSIGNED;
    fardel_vfs* vfs = NULL;
    if (fardel_vfs_create(NULL, &vfs, &error) != FARDEL_OK ||
        fardel_mount_file(vfs, argv[1], &options, NULL, &error) != FARDEL_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    SDL_RWops* const stream = fardel_rwops_open(vfs, "/hello.txt");
    fardel_vfs_destroy(vfs);
    size_t size_bytes = 0;
    char* const text = stream != NULL ? SDL_LoadFile_RW(stream, &size_bytes, 1) : NULL;
    if (text == NULL) {
        fprintf(stderr, "%s\n", SDL_GetError());
        return 1;
    }
    fwrite(text, 1, size_bytes, stdout);
    SDL_free(text);
    return 0;
}
