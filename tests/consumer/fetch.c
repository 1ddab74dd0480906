/* A stranger's program in C: opens a store through the library for delivery, and prints the library's version. */
#include <fardel/delivery/fardel_fetch.h>
#include <fardel/vfs/fardel.h>

#include <stdio.h>

int main(int count, char** arguments) {
    fardel_error error = FARDEL_ERROR_INIT;
    fardel_store* store = NULL;
    size_t bundles = 1;
    if (count != 2)
        return 2;
    if (fardel_store_open(arguments[1], 1, &store, &error) != FARDEL_OK ||
        fardel_store_list(store, NULL, NULL, &bundles, &error) != FARDEL_OK || bundles != 0) {
        fprintf(stderr, "%s: %s\n", fardel_code_name(error.code), error.text);
        return 1;
    }
    fardel_store_close(store);
    puts(fardel_version_text());
    return 0;
}
