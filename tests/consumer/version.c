/* A stranger's program in C: prints the version of the library that runs. */
#include <fardel/vfs/fardel.h>

#include <stdio.h>

int main(void) {
    fardel_vfs* vfs = NULL;
    if (fardel_vfs_create(NULL, &vfs, NULL) != FARDEL_OK)
        return 1;
    fardel_vfs_destroy(vfs);
    puts(fardel_version_text());
    return 0;
}
