/* What an engine in C does when it joins a server: fetches a bundle while it draws frames, with consent and progress,
 * mounts it from the store with the bundles that it needs, and reads a file.
 *
 *     sample_fetch_in_loop URL ID STORE POLICY PATH
 */
#define _POSIX_C_SOURCE 199309L /* nanosleep */
#include <fardel/delivery/fardel_fetch.h>
#include <fardel/vfs/fardel.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct game {
    fardel_store* store;
    fardel_vfs* vfs;
    const char* policy;
    fardel_code code; /* of what failed first */
    fardel_error error;
    int asks; /* 1: the player is asked whether the game may download this much */
};

static void draw_frame(void) {
    const struct timespec frame = {0, 5000000};
    nanosleep(&frame, NULL);
}

static void planned(void* context, fardel_fetch* fetch, const fardel_fetch_plan* plan) {
    struct game* game = context;
    size_t i;
    (void)fetch; /* fardel_fetch_accept(fetch) could be called here, too */
    for (i = 0; i < plan->bundle_count; ++i) {
        const fardel_planned_fetch* bundle = plan->bundles[i];
        printf("%s %s, licence %s, signed by %s: %llu bytes\n", bundle->name, bundle->version, bundle->licence,
               bundle->signer_count > 0 ? bundle->signers[0] : "nobody", (unsigned long long)bundle->fetch_bytes);
    }
    game->asks = 1;
}

static void progress(void* context, fardel_fetch* fetch, const fardel_fetch_progress* now) {
    (void)context;
    (void)fetch;
    printf("%llu of %llu bytes\n", (unsigned long long)now->received_bytes, (unsigned long long)now->total_bytes);
}

static void ended(void* context, fardel_fetch* fetch, const fardel_fetch_outcome* outcome) {
    struct game* game = context;
    (void)fetch;
    game->code = outcome->code;
    if (outcome->code != FARDEL_OK)
        snprintf(game->error.text, sizeof game->error.text, "%s", outcome->text);
}

static fardel_code fetch_bundle(struct game* game, const char* url, const fardel_id* bundle) {
    fardel_server_options servers = FARDEL_SERVER_OPTIONS_INIT;
    fardel_trust_options trust = FARDEL_TRUST_OPTIONS_INIT;
    fardel_fetch_options options = FARDEL_FETCH_OPTIONS_INIT;
    fardel_fetch* fetch = NULL;
    int32_t has_ended = 0;
    fardel_code code;
    servers.urls = &url;
    servers.url_count = 1;
    trust.policy_path = game->policy;
    options.servers = &servers;
    options.trust = &trust;
    options.bundles = bundle;
    options.bundle_count = 1;
    options.context = game;
    options.planned = planned;
    options.progress = progress;
    options.ended = ended;
    code = fardel_fetch_start(game->store, &options, &fetch, &game->error);
    while (code == FARDEL_OK && !has_ended) { /* the game's loop */
        code = fardel_fetch_poll(fetch, 0, &has_ended, &game->error);
        if (game->asks)
            fardel_fetch_accept(fetch); /* the player has pressed "yes" */
        game->asks = 0;
        draw_frame();
    }
    fardel_fetch_close(fetch);
    return code == FARDEL_OK ? game->code : code;
}

/* Called for each bundle, after those that it needs. */
static void mount_bundle(void* context, const fardel_id* bundle) {
    struct game* game = context;
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    fardel_reader reader = FARDEL_READER_INIT;
    if (game->code != FARDEL_OK)
        return;
    options.policy_path = game->policy;
    game->code = fardel_store_reader(game->store, bundle, &reader, &game->error);
    if (game->code == FARDEL_OK)
        game->code = fardel_mount_reader(game->vfs, &reader, &options, NULL, &game->error);
}

static fardel_code print_file(struct game* game, const char* path) {
    fardel_file* file = NULL;
    char* bytes = NULL;
    size_t size_bytes;
    fardel_code code = fardel_open(game->vfs, path, &file, &game->error);
    if (code != FARDEL_OK)
        return code;
    size_bytes = (size_t)fardel_file_size(file);
    bytes = malloc(size_bytes + 1);
    code = bytes == NULL ? FARDEL_ERROR_NO_MEMORY : fardel_read_all(file, bytes, size_bytes, &game->error);
    if (code == FARDEL_OK)
        fwrite(bytes, 1, size_bytes, stdout);
    free(bytes);
    fardel_close(file);
    return code;
}

static fardel_code play(struct game* game, char** words) {
    fardel_id bundle;
    fardel_code code = fardel_id_parse(words[2], &bundle, &game->error);
    if (code == FARDEL_OK)
        code = fardel_store_open(words[3], 1, &game->store, &game->error);
    if (code == FARDEL_OK)
        code = fetch_bundle(game, words[1], &bundle);
    if (code == FARDEL_OK)
        code = fardel_vfs_create(NULL, &game->vfs, &game->error);
    if (code == FARDEL_OK)
        code = fardel_store_closure(game->store, &bundle, mount_bundle, game, &game->error);
    if (code == FARDEL_OK)
        code = game->code;
    return code == FARDEL_OK ? print_file(game, words[5]) : code;
}

int main(int count, char** words) {
    struct game game = {NULL, NULL, NULL, FARDEL_OK, FARDEL_ERROR_INIT, 0};
    fardel_code code;
    if (count != 6)
        return 2;
    game.policy = words[4];
    code = play(&game, words);
    if (code != FARDEL_OK)
        fprintf(stderr, "%s: %s\n", fardel_code_name(code), game.error.text);
    fardel_vfs_destroy(game.vfs);
    fardel_store_close(game.store);
    return code == FARDEL_OK ? 0 : 1;
}
