/* Mounts a bundle that a policy trusts and prints one of its assets, in C11.
 *
 *     sample_print_asset BUNDLE POLICY PATH
 */
#include <fardel/vfs/fardel.h>

#include <stdio.h>

static fardel_code print_file(const fardel_file* file, fardel_error* error) {
    char chunk[65536];
    uint64_t offset = 0;
    size_t count = 0;
    do {
        const fardel_code code =
            fardel_read_at(file, offset, chunk, sizeof chunk, &count, error); /* every byte verified */
        if (code != FARDEL_OK)
            return code;
        fwrite(chunk, 1, count, stdout);
        offset += count;
    } while (count > 0);
    return FARDEL_OK;
}

int main(int argc, char** argv) {
    if (argc != 4)
        return 2;
    fardel_error error = FARDEL_ERROR_INIT;
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    options.policy_path = argv[2];

    fardel_vfs* vfs = NULL;
    fardel_file* file = NULL;
    fardel_code code = fardel_vfs_create(NULL, &vfs, &error);
    if (code == FARDEL_OK)
        code = fardel_mount_file(vfs, argv[1], &options, NULL, &error);
    if (code == FARDEL_OK)
        code = fardel_open(vfs, argv[3], &file, &error); /* "/texts/greeting.txt", or "/assets/<id>" */
    if (code == FARDEL_OK)
        code = print_file(file, &error);
    if (code != FARDEL_OK)
        fprintf(stderr, "%s: %s\n", fardel_code_name(code), error.text);
    fardel_close(file);
    fardel_vfs_destroy(vfs);
    return code == FARDEL_OK ? 0 : 1;
}
