/* An exporter in C: makes the content of a small game with the tools library: a signed base game, two signed maps, and
 * the trust policy of its players.
 *
 *     sample_make_game FOLDER
 */
#include <fardel/tools/fardel_tools.h>
#include <fardel/vfs/fardel.h>

#include <stdio.h>
#include <string.h>

#define PIECE_BYTES 300000

static fardel_error error = FARDEL_ERROR_INIT;
static fardel_code first_failure = FARDEL_OK;

/* Notes the first failure; what follows it is not done. */
static int done(fardel_code code) {
    if (first_failure == FARDEL_OK)
        first_failure = code;
    return first_failure == FARDEL_OK;
}

static uint32_t add_text(fardel_plan* plan, const char* name, const char* text) {
    fardel_planned_asset asset = FARDEL_PLANNED_ASSET_INIT;
    uint32_t number = 0;
    asset.bytes = text;
    asset.size_bytes = strlen(text);
    asset.content_type = "text/plain";
    if (done(fardel_plan_add_asset(plan, &asset, &number, &error)))
        done(fardel_plan_add_name(plan, name, number, NULL, 0, &error));
    return number;
}

/* Something large enough to be read in the background. */
static void add_sound(fardel_plan* plan, const char* name, unsigned seed) {
    static unsigned char bytes[PIECE_BYTES];
    fardel_planned_asset asset = FARDEL_PLANNED_ASSET_INIT;
    uint32_t number = 0;
    size_t i;
    for (i = 0; i < sizeof bytes; ++i) {
        seed = seed * 1103515245u + 12345u;
        bytes[i] = (unsigned char)(seed >> 16);
    }
    asset.bytes = bytes;
    asset.size_bytes = sizeof bytes;
    asset.content_type = "audio/wav";
    asset.flags = FARDEL_ASSET_STREAMED;
    if (done(fardel_plan_add_asset(plan, &asset, &number, &error)))
        done(fardel_plan_add_name(plan, name, number, NULL, 0, &error));
}

static void keep_id(void* context, const fardel_written_bundle* written) {
    char id[65];
    fardel_id_text(&written->bundle, id);
    printf("%s %s: %s\n", written->name, written->version, id);
    *(fardel_id*)context = written->bundle;
}

/* Signs the plan, writes it, and destroys it. */
static void write_plan(fardel_plan* plan, const char* folder, const char* name, fardel_signer* author, fardel_id* id) {
    char path[4096];
    char bundle_name[256];
    fardel_write_options options = FARDEL_WRITE_OPTIONS_INIT;
    snprintf(path, sizeof path, "%s/%s.fardel", folder, name);
    snprintf(bundle_name, sizeof bundle_name, "mygame/%s", name);
    options.signer = author;
    options.written = keep_id;
    options.context = id;
    if (first_failure == FARDEL_OK && done(fardel_plan_set_text(plan, FARDEL_NO_ASSET, "name", bundle_name, &error)) &&
        done(fardel_plan_set_text(plan, FARDEL_NO_ASSET, "version", "1.0", &error)) &&
        done(fardel_plan_set_text(plan, FARDEL_NO_ASSET, "licence", "CC-BY-SA-4.0", &error)))
        done(fardel_plan_write(plan, path, &options, &error));
    fardel_plan_destroy(plan);
}

static void make_map(const char* folder, const char* name, unsigned seed, const fardel_id* base,
                     fardel_signer* author) {
    char text[100];
    fardel_plan* plan = NULL;
    fardel_id id;
    uint32_t map;
    if (!done(fardel_plan_create(&plan, &error)))
        return;
    snprintf(text, sizeof text, "map %s\n", name);
    map = add_text(plan, "maps/current", text);
    add_sound(plan, "music/current", seed);
    done(fardel_plan_add_dependency(plan, base, "mygame/base", "1.0", 1, &error));
    done(fardel_plan_add_consume(plan, "fonts/title", FARDEL_CONSUME_OPTIONAL, &error));
    done(fardel_plan_set_text(plan, map, "licence", "CC0-1.0", &error));
    write_plan(plan, folder, name, author, &id);
}

static void write_policy(const char* folder, fardel_signer* author) {
    const fardel_public_key key = fardel_signer_key(author);
    char path[4096];
    FILE* file;
    size_t i;
    snprintf(path, sizeof path, "%s/trust.policy", folder);
    file = fopen(path, "wb");
    if (file == NULL) {
        done(FARDEL_ERROR_IO);
        return;
    }
    fprintf(file, "fardel-trust 1\nkey studio ");
    for (i = 0; i < sizeof key.bytes; ++i)
        fprintf(file, "%02x", key.bytes[i]);
    fprintf(file, "\nallow mygame/* author=1:studio publish=** override=**\n");
    fclose(file);
}

int main(int argc, char** argv) {
    char key_path[4096];
    fardel_signer* author = NULL;
    fardel_plan* plan = NULL;
    fardel_id base;
    if (argc != 2)
        return 2;
    snprintf(key_path, sizeof key_path, "%s/author.key", argv[1]);
    remove(key_path); /* a real game keeps its key */
    strcat(key_path, ".pub");
    remove(key_path);
    snprintf(key_path, sizeof key_path, "%s/author.key", argv[1]);
    if (done(fardel_key_create(key_path, NULL, "the studio", NULL, &error)) &&
        done(fardel_signer_open(key_path, NULL, &author, &error)) && done(fardel_plan_create(&plan, &error))) {
        add_text(plan, "maps/current", "no map\n");
        add_text(plan, "texts/title", "My Game\n");
        write_plan(plan, argv[1], "base", author, &base);
        make_map(argv[1], "harbour", 1, &base, author);
        make_map(argv[1], "castle", 2, &base, author);
        write_policy(argv[1], author);
    }
    if (first_failure != FARDEL_OK)
        fprintf(stderr, "%s: %s\n", fardel_code_name(first_failure), error.text);
    fardel_signer_close(author);
    return first_failure == FARDEL_OK ? 0 : 1;
}
