/* A stranger's program in C: keeps a value in a cache of derived data, and prints the library's version. */
#include <fardel/cache/fardel_cache.h>
#include <fardel/vfs/fardel.h>

#include <stdio.h>

int main(int count, char** arguments) {
    fardel_error error = FARDEL_ERROR_INIT;
    fardel_cache_options options = FARDEL_CACHE_OPTIONS_INIT;
    fardel_cache_key key = FARDEL_CACHE_KEY_INIT;
    fardel_cache* cache = NULL;
    fardel_cache_lookup* lookup = NULL;
    const void* bytes = NULL;
    size_t size_bytes = 0;
    if (count != 2)
        return 2;
    options.folder = arguments[1];
    key.plugin = "stranger";
    if (fardel_cache_open(&options, &cache, &error) != FARDEL_OK ||
        fardel_cache_put(cache, &key, "hello", 5, &error) != FARDEL_OK ||
        fardel_cache_get(cache, &key, NULL, &lookup, &error) != FARDEL_OK ||
        fardel_lookup_poll(lookup, UINT32_MAX, NULL, &error) != FARDEL_OK ||
        fardel_lookup_bytes(lookup, &bytes, &size_bytes, &error) != FARDEL_OK || size_bytes != 5) {
        fprintf(stderr, "%s: %s\n", fardel_code_name(error.code), error.text);
        return 1;
    }
    fardel_lookup_release(lookup);
    fardel_cache_close(cache, NULL);
    puts(fardel_version_text());
    return 0;
}
