/* What an editor does when a level is opened: asks for a thousand thumbnails while it draws frames, the visible ones
 * first, and makes those that no cache has.
 *
 *     sample_editor_cache FOLDER BOOT-FILE
 *
 * Started a second time, it reads the boot file and nothing else of the cache.
 */
#define _POSIX_C_SOURCE 199309L /* nanosleep */
#include <fardel/cache/fardel_cache.h>
#include <fardel/vfs/fardel.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { kThumbnails = 1000, kLeftFirst = 900, kThumbnailBytes = 2048 };

struct thumbnail {
    uint32_t asset; /* an editor has the id of the source here */
    fardel_cache_lookup* lookup;
    int is_cancelled;
};

struct editor {
    struct thumbnail thumbnails[kThumbnails];
    int shown, cancelled, failed, frames;
};

static void draw_frame(struct editor* editor) {
    const struct timespec frame = {0, 1000000};
    nanosleep(&frame, NULL);
    ++editor->frames;
}

/* On a thread of the cache. */
static fardel_code make_thumbnail(void* context, fardel_cache_built* built, fardel_error* error) {
    const struct thumbnail* thumbnail = context;
    unsigned char pixels[kThumbnailBytes];
    size_t i;
    for (i = 0; i < sizeof pixels; ++i)
        pixels[i] = (unsigned char)((thumbnail->asset * 31u + i) >> 3);
    return fardel_cache_add_bytes(built, pixels, sizeof pixels, error);
}

static fardel_code ask(fardel_cache* cache, struct thumbnail* thumbnail, fardel_error* error) {
    fardel_cache_key key = FARDEL_CACHE_KEY_INIT;
    fardel_lookup_options wish = FARDEL_LOOKUP_OPTIONS_INIT;
    char parameters[64];
    snprintf(parameters, sizeof parameters, "asset=%" PRIu32 " size=32", thumbnail->asset);
    key.plugin = "thumbnails";
    key.version = "1";
    key.parameters = parameters;
    key.parameter_bytes = strlen(parameters);
    wish.priority = thumbnail->asset < 50 ? 10 : thumbnail->asset < kLeftFirst ? 0 : -10; /* the screen, near it, far */
    wish.context = thumbnail;
    wish.build = make_thumbnail;
    return fardel_cache_get(cache, &key, &wish, &thumbnail->lookup, error);
}

/* Takes what has ended since the last frame; returns how many are left. */
static int take_ended(struct editor* editor) {
    int i, left = 0;
    for (i = 0; i < kThumbnails; ++i) {
        struct thumbnail* thumbnail = &editor->thumbnails[i];
        const void* bytes;
        size_t size_bytes;
        int32_t has_ended = 0;
        if (thumbnail->lookup == NULL)
            continue;
        fardel_lookup_poll(thumbnail->lookup, 0, &has_ended, NULL);
        left += !has_ended;
        if (!has_ended)
            continue;
        if (fardel_lookup_bytes(thumbnail->lookup, &bytes, &size_bytes, NULL) == FARDEL_OK)
            editor->shown += size_bytes == kThumbnailBytes;
        else if (thumbnail->is_cancelled)
            ++editor->cancelled;
        else
            ++editor->failed;
        fardel_lookup_release(thumbnail->lookup);
        thumbnail->lookup = NULL;
    }
    return left;
}

static void print_plugin(void* context, const fardel_cache_plugin* plugin) {
    (void)context;
    printf("%s: %" PRIu64 " found, %" PRIu64 " built, %" PRIu64 " ms\n", plugin->plugin, plugin->hits, plugin->builds,
           plugin->build_us / 1000);
}

static void print_layer(void* context, const fardel_cache_layer* layer) {
    (void)context;
    printf("layer %s: %" PRIu64 " hits, %" PRIu64 " misses%s%s\n", layer->layer, layer->hits, layer->misses,
           layer->problem[0] != '\0' ? ", " : "", layer->problem);
}

static fardel_code open_level(fardel_cache* cache, struct editor* editor, fardel_error* error) {
    int i;
    for (i = 0; i < kThumbnails; ++i) {
        fardel_code code;
        editor->thumbnails[i].asset = (uint32_t)i;
        code = ask(cache, &editor->thumbnails[i], error);
        if (code != FARDEL_OK)
            return code;
    }
    for (i = kLeftFirst; i < kThumbnails; ++i) { /* the user has scrolled away from these */
        editor->thumbnails[i].is_cancelled = 1;
        fardel_lookup_cancel(editor->thumbnails[i].lookup);
    }
    for (i = 400; i < 450; ++i) /* and to these */
        fardel_lookup_set_priority(editor->thumbnails[i].lookup, 20);
    while (take_ended(editor) > 0) /* the editor's loop */
        draw_frame(editor);
    return FARDEL_OK;
}

int main(int count, char** words) {
    static struct editor editor;
    fardel_error error = FARDEL_ERROR_INIT;
    fardel_cache_options options = FARDEL_CACHE_OPTIONS_INIT;
    fardel_cache* cache = NULL;
    fardel_code code;
    if (count != 3)
        return 2;
    options.folder = words[1];
    options.boot_path = words[2];
    options.threads = 2;
    code = fardel_cache_open(&options, &cache, &error);
    if (code == FARDEL_OK)
        code = open_level(cache, &editor, &error);
    if (code == FARDEL_OK) {
        printf("%s, %d shown, %d cancelled, %d failed\n", editor.frames > 0 ? "frames drawn" : "no frame", editor.shown,
               editor.cancelled, editor.failed);
        fardel_cache_list_plugins(cache, print_plugin, NULL, NULL, NULL);
        code = fardel_cache_list_layers(cache, print_layer, NULL, NULL, &error);
    }
    if (code == FARDEL_OK)
        code = fardel_cache_close(cache, &error);
    else
        fardel_cache_close(cache, NULL);
    if (code != FARDEL_OK)
        fprintf(stderr, "%s: %s\n", fardel_code_name(code), error.text);
    return code == FARDEL_OK && editor.failed == 0 ? 0 : 1;
}
