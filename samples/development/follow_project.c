/* What an engine in C does on a device in development: mounts the project that a PC serves, with the bundles that it
 * needs, and shows each edit at once.
 *
 *     sample_follow_project_c URL STORE PATH EDITS
 *
 * Prints PATH now and after each edit of it, and ends after so many edits.
 */
#define _POSIX_C_SOURCE 199309L /* nanosleep */
#include <fardel/delivery/fardel_fetch.h>
#include <fardel/vfs/fardel.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BUNDLES_MAX = 64 };

struct game {
    fardel_store* store;
    fardel_servers* servers;
    fardel_project* project;
    fardel_vfs* vfs;
    fardel_mount_id mounts[BUNDLES_MAX]; /* of the project and of what it needs */
    size_t mount_count;
    const char* path;
    int edits; /* that are left */
    int has_changed;
    fardel_error error;
};

static void draw_frame(void) {
    const struct timespec frame = {0, 20000000};
    nanosleep(&frame, NULL);
}

static fardel_code print_file(struct game* game) {
    fardel_file* file = NULL;
    char text[4096];
    size_t size = 0;
    fardel_code code = fardel_open(game->vfs, game->path, &file, &game->error);
    if (code != FARDEL_OK)
        return code;
    code = fardel_read_at(file, 0, text, sizeof text, &size, &game->error);
    fardel_close(file);
    fwrite(text, 1, size, stdout);
    fflush(stdout);
    return code;
}

/* The paths start with '/'. */
static void changed(void* context, const fardel_change* change) {
    struct game* game = context;
    if (strcmp(change->path, game->path) == 0)
        game->has_changed = 1;
}

/* Puts the project's bundles in the position of those before, in one step. */
static fardel_code show(struct game* game) {
    fardel_reader readers[BUNDLES_MAX];
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    const fardel_reader empty = FARDEL_READER_INIT;
    size_t count = 0;
    size_t i;
    fardel_code code = fardel_project_bundles(game->project, NULL, NULL, &count, &game->error);
    if (code != FARDEL_OK || count > BUNDLES_MAX)
        return code != FARDEL_OK ? code : FARDEL_ERROR_LIMIT;
    for (i = 0; i < count; ++i)
        readers[i] = empty;
    code = fardel_project_readers(game->project, readers, count, &game->error);
    if (code != FARDEL_OK)
        return code;
    options.flags = FARDEL_MOUNT_ALLOW_UNSIGNED;
    code = fardel_replace_readers(game->vfs, game->mounts, game->mount_count, readers, count, &options, game->mounts,
                                  changed, game, &game->error);
    if (code == FARDEL_OK)
        game->mount_count = count;
    return code;
}

static fardel_code start(struct game* game, const char* url, const char* store) {
    fardel_server_options where = FARDEL_SERVER_OPTIONS_INIT;
    fardel_code code;
    where.urls = &url;
    where.url_count = 1;
    if ((code = fardel_store_open(store, 1, &game->store, &game->error)) != FARDEL_OK ||
        (code = fardel_servers_open(&where, &game->servers, &game->error)) != FARDEL_OK ||
        (code = fardel_project_open(game->store, game->servers, NULL, &game->project, &game->error)) != FARDEL_OK ||
        (code = fardel_vfs_create(NULL, &game->vfs, &game->error)) != FARDEL_OK ||
        (code = fardel_project_poll(game->project, NULL, &game->error)) != FARDEL_OK ||
        (code = show(game)) != FARDEL_OK)
        return code;
    return print_file(game);
}

static fardel_code play(struct game* game) {
    fardel_code code = FARDEL_OK;
    while (game->edits > 0 && code == FARDEL_OK) {
        int32_t is_new = 0;
        draw_frame();
        /* A game does this on a thread of its own. A failure: the PC may be restarting its server. */
        if (fardel_project_poll(game->project, &is_new, NULL) != FARDEL_OK || !is_new)
            continue;
        game->has_changed = 0;
        code = show(game);
        if (code == FARDEL_OK && game->has_changed) {
            code = print_file(game); /* a game loads the asset again */
            --game->edits;
        }
    }
    return code;
}

int main(int count, char** arguments) {
    struct game game = {0};
    const fardel_error empty = FARDEL_ERROR_INIT;
    fardel_code code;
    if (count != 5)
        return 2;
    game.error = empty;
    game.path = arguments[3];
    game.edits = atoi(arguments[4]);
    code = start(&game, arguments[1], arguments[2]);
    if (code == FARDEL_OK)
        code = play(&game);
    fardel_project_close(game.project);
    fardel_vfs_destroy(game.vfs);
    fardel_servers_close(game.servers);
    fardel_store_close(game.store);
    if (code != FARDEL_OK)
        fprintf(stderr, "%s: %s\n", fardel_code_name(code), game.error.text);
    return code == FARDEL_OK ? 0 : 1;
}
