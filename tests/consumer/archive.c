/* A stranger's program in C: mounts the archive at a path and prints the size of its hello.txt. */
#include <fardel/vfs/fardel_archives.h>

#include <stdio.h>

int main(int count, char** arguments) {
    fardel_vfs* vfs = NULL;
    fardel_file* file = NULL;
    fardel_error error = FARDEL_ERROR_INIT;
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    options.flags = FARDEL_MOUNT_ALLOW_UNSIGNED;
    if (count != 2 || fardel_vfs_create(NULL, &vfs, &error) != FARDEL_OK)
        return 2;
    if (fardel_mount_file(vfs, arguments[1], &options, NULL, &error) != FARDEL_ERROR_UNSUPPORTED)
        return 3;
    if (fardel_enable_archives(vfs, &error) != FARDEL_OK ||
        fardel_mount_file(vfs, arguments[1], &options, NULL, &error) != FARDEL_OK ||
        fardel_open(vfs, "/hello.txt", &file, &error) != FARDEL_OK) {
        fprintf(stderr, "%s: %s\n", fardel_code_name(error.code), error.text);
        return 1;
    }
    printf("%llu\n", (unsigned long long)fardel_file_size(file));
    fardel_close(file);
    fardel_vfs_destroy(vfs);
    return 0;
}
