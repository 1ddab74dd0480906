/* A game's loop in C: it changes maps while it draws, so that no frame shows the base game alone, reads music in the
 * background, says what is mounted, under which licences, and what is missing, saves, and joins a server that enforces
 * its content. physfs_change_maps.c is the same game over PhysicsFS.
 *
 *     sample_change_maps FOLDER        the folder of sample_make_game
 */
#define _POSIX_C_SOURCE 200112L
#include <fardel/vfs/fardel.h>
#include <fardel/vfs/fardel_pure.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct game {
    fardel_vfs* vfs;
    const char* folder;
    char policy_path[4096];
    fardel_mount_id map; /* 0: none yet */
    fardel_error error;
    atomic_int plays;      /* the frames go on */
    atomic_int base_alone; /* frames that showed the base game without a map */
    atomic_int frames;
};

static void path_of(const struct game* game, const char* name, char path[4096]) {
    snprintf(path, 4096, "%s/%s.fardel", game->folder, name);
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

static int read_text(struct game* game, const char* path, char* text, size_t size_bytes) {
    fardel_file* file = NULL;
    size_t count = 0;
    fardel_code code = fardel_open(game->vfs, path, &file, NULL);
    if (code == FARDEL_OK)
        code = fardel_read_at(file, 0, text, size_bytes - 1, &count, NULL);
    text[count] = '\0';
    fardel_close(file);
    return code == FARDEL_OK;
}

/* The drawing thread looks the map up in each frame. */
static void* draw(void* context) {
    struct game* game = context;
    char text[100];
    while (atomic_load(&game->plays)) {
        if (!read_text(game, "maps/current", text, sizeof text) || strcmp(text, "no map\n") == 0)
            atomic_fetch_add(&game->base_alone, 1);
        atomic_fetch_add(&game->frames, 1);
    }
    return NULL;
}

/* ---- Maps -------------------------------------------------------------------------------------------------------- */

/* The old map goes and the new one comes in one step. */
static fardel_code change_map(struct game* game, const char* name) {
    char path[4096];
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    fardel_mount_request map = FARDEL_MOUNT_REQUEST_INIT;
    const fardel_mount_request* mounts[1];
    fardel_mount_change change = FARDEL_MOUNT_CHANGE_INIT;
    const fardel_mount_id old = game->map;
    path_of(game, name, path);
    options.policy_path = game->policy_path;
    options.label = name;
    options.flags = FARDEL_MOUNT_REQUIRE_DEPENDENCIES;
    map.path = path;
    map.options = &options;
    mounts[0] = &map;
    change.unmounts = &old;
    change.unmount_count = old != 0 ? 1 : 0;
    change.mounts = mounts;
    change.mount_count = 1;
    change.new_mounts = &game->map;
    return fardel_apply(game->vfs, &change, &game->error);
}

/* ---- Music in the background ------------------------------------------------------------------------------------- */

struct music {
    unsigned char* bytes;
    size_t size_bytes;
    atomic_int ended; /* 1: read; 2: it could not be */
};

static void music_read(void* context, fardel_read_id read, fardel_code code, size_t read_bytes, const char* text) {
    struct music* music = context;
    (void)read;
    if (code != FARDEL_OK)
        fprintf(stderr, "music: %s\n", text);
    atomic_store(&music->ended, code == FARDEL_OK && read_bytes == music->size_bytes ? 1 : 2);
}

static fardel_code begin_music(struct game* game, fardel_queue* queue, struct music* music) {
    fardel_file* file = NULL;
    fardel_read_request request = FARDEL_READ_REQUEST_INIT;
    const fardel_read_request* requests[1];
    fardel_code code = fardel_open(game->vfs, "music/current", &file, &game->error);
    if (code != FARDEL_OK)
        return code;
    music->size_bytes = (size_t)fardel_file_size(file);
    music->bytes = malloc(music->size_bytes);
    atomic_store(&music->ended, 0);
    request.file = file;
    request.buffer = music->bytes;
    request.size_bytes = music->size_bytes;
    request.priority = 1; /* behind what the next frame needs */
    request.done = music_read;
    request.context = music;
    requests[0] = &request;
    code = music->bytes != NULL ? fardel_queue_submit(queue, requests, 1, NULL, &game->error) : FARDEL_ERROR_NO_MEMORY;
    fardel_close(file);
    return code;
}

/* ---- What the player is shown ------------------------------------------------------------------------------------ */

static void show_mount(void* context, const fardel_mount_description* mount) {
    (void)context;
    printf("mounted %s, signed by %s\n", mount->label, mount->signer_count > 0 ? mount->signers[0] : "nobody");
}

static void show_licence(void* context, const fardel_metadata* metadata) {
    printf("%s is under %s%s\n", (const char*)context, metadata->text != NULL ? metadata->text : "?",
           metadata->of_bundle != 0 ? ", as all of its bundle" : "");
}

static fardel_code show_licences(struct game* game) {
    static char paths[2][16] = {"/maps/current", "/texts/title"};
    fardel_code code = FARDEL_OK;
    int i;
    for (i = 0; i < 2 && code == FARDEL_OK; ++i)
        code = fardel_read_metadata(game->vfs, paths[i], "licence", show_licence, paths[i], NULL, &game->error);
    return code;
}

static void show_need(void* context, const fardel_unresolved_need* need) {
    (void)context;
    printf("missing %s%s\n", need->name, (need->flags & FARDEL_NEED_OPTIONAL) != 0 ? ", which it does without" : "");
}

static void show_log(void* context, fardel_log_level level, const char* text) {
    (void)context;
    if (level != FARDEL_LOG_NOTE)
        fprintf(stderr, "%s\n", text);
}

/* ---- Saved games ------------------------------------------------------------------------------------------------- */

/* A game installed on a system asks fardel_user_data_folder() for the folder. */
static fardel_code save(struct game* game, const char* map) {
    char path[4096];
    char saved[100];
    size_t size_bytes = 0;
    fardel_writable* folder = NULL;
    fardel_code code;
    snprintf(path, sizeof path, "%s/saves", game->folder);
    code = fardel_writable_open(path, 1 << 20, 100, &folder, &game->error);
    if (code == FARDEL_OK)
        code = fardel_writable_write(folder, "slot1/map", map, strlen(map), &game->error); /* whole, or not at all */
    if (code == FARDEL_OK)
        code = fardel_writable_read(folder, "slot1/map", saved, sizeof saved, &size_bytes, &game->error);
    if (code == FARDEL_OK)
        printf("saved: %.*s\n", (int)size_bytes, saved);
    fardel_writable_close(folder);
    return code;
}

/* ---- A server that enforces its content -------------------------------------------------------------------------- */

struct policy {
    char text[1000];
    size_t length;
};

/* Server and client are one program here; between two machines, the offer, the answer and the verdict are messages. */
static fardel_code join(struct game* game, int32_t* welcome) {
    unsigned char offer[FARDEL_PURE_OFFER_BYTES];
    unsigned char answer[FARDEL_PURE_ANSWER_BYTES];
    char paths[2][4096];
    const char* bundles[2];
    struct policy policy = {"fardel-pure 1\n", 14};
    fardel_pure_server_options options = FARDEL_PURE_SERVER_OPTIONS_INIT;
    fardel_pure_server* server = NULL;
    fardel_code code = FARDEL_OK;
    size_t problems = 0;
    size_t i;
    const char* const names[2] = {"base", "castle"};
    for (i = 0; i < 2 && code == FARDEL_OK; ++i) {
        fardel_vfs* one = NULL; /* the server's own look at the bundle's id */
        fardel_mount_options how = FARDEL_MOUNT_OPTIONS_INIT;
        fardel_listing* listing = NULL;
        fardel_entry entry = FARDEL_ENTRY_INIT;
        how.policy_path = game->policy_path;
        path_of(game, names[i], paths[i]);
        bundles[i] = paths[i];
        code = fardel_vfs_create(NULL, &one, &game->error);
        if (code == FARDEL_OK)
            code = fardel_mount_file(one, paths[i], &how, NULL, &game->error);
        if (code == FARDEL_OK)
            code = fardel_listing_open(one, "/bundles", &listing, &game->error);
        if (code == FARDEL_OK)
            code = fardel_listing_next(listing, &entry, &game->error);
        fardel_listing_close(listing);
        fardel_vfs_destroy(one);
        policy.length += (size_t)snprintf(policy.text + policy.length, sizeof policy.text - policy.length,
                                          "bundle %s exact / mygame/%s\n", entry.name, names[i]);
    }
    options.policy_text = policy.text;
    options.bundle_paths = bundles;
    options.bundle_path_count = 2;
    if (code == FARDEL_OK)
        code = fardel_pure_server_create(&options, &server, &game->error);
    if (code == FARDEL_OK)
        code = fardel_pure_server_offer(server, "203.0.113.7", "player 1", 0, offer, &game->error);
    if (code == FARDEL_OK)
        code = fardel_enter_pure(game->vfs, policy.text, &problems, &game->error);
    if (code == FARDEL_OK)
        code = fardel_pure_answer(game->vfs, offer, sizeof offer, "player 1", NULL, answer, NULL, NULL, &game->error);
    if (code == FARDEL_OK)
        code =
            fardel_pure_server_check(server, answer, sizeof answer, "player 1", NULL, 0, NULL, welcome, &game->error);
    fardel_pure_server_destroy(server);
    return code;
}

/* ---- The game ---------------------------------------------------------------------------------------------------- */

static fardel_code play(struct game* game) {
    char path[4096];
    char title[100];
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    fardel_queue* queue = NULL;
    struct music music = {NULL, 0, 0};
    fardel_figures figures = FARDEL_FIGURES_INIT;
    pthread_t frames;
    int32_t welcome = 0;
    int i;
    fardel_code code;
    options.policy_path = game->policy_path;
    options.label = "base";
    path_of(game, "base", path);
    code = fardel_mount_file(game->vfs, path, &options, NULL, &game->error);
    if (code == FARDEL_OK)
        code = change_map(game, "harbour");
    if (code == FARDEL_OK)
        code = fardel_queue_start(1, &queue, &game->error);
    if (code != FARDEL_OK)
        return code;
    read_text(game, "texts/title", title, sizeof title);
    printf("%s", title);

    atomic_store(&game->plays, 1);
    pthread_create(&frames, NULL, draw, game);
    code = begin_music(game, queue, &music); /* of the harbour; it is read on while maps change */
    for (i = 0; i < 100 && code == FARDEL_OK; ++i)
        code = change_map(game, i % 2 == 0 ? "castle" : "harbour");
    if (code == FARDEL_OK)
        code = change_map(game, "castle");
    atomic_store(&game->plays, 0);
    pthread_join(frames, NULL);
    fardel_queue_wait(queue);
    fardel_queue_close(queue);
    printf("%s frames drawn, %d of them without a map\n", atomic_load(&game->frames) > 0 ? "some" : "no",
           atomic_load(&game->base_alone));
    printf("music: %lu bytes, %s\n", (unsigned long)music.size_bytes,
           atomic_load(&music.ended) == 1 ? "read in the background" : "not read");
    free(music.bytes);

    if (code == FARDEL_OK)
        code = fardel_mounts(game->vfs, show_mount, NULL, NULL, &game->error);
    if (code == FARDEL_OK)
        code = fardel_check_links(game->vfs, show_need, NULL, NULL, &game->error);
    if (code == FARDEL_OK)
        code = show_licences(game);
    if (code == FARDEL_OK)
        code = save(game, "castle");
    if (code == FARDEL_OK)
        code = fardel_read_figures(game->vfs, &figures, &game->error);
    printf("%s bytes were decoded\n", figures.decoded_bytes > 0 ? "some" : "no");
    if (code == FARDEL_OK)
        code = join(game, &welcome);
    if (code == FARDEL_OK)
        printf("the server says %s\n", welcome != 0 ? "welcome" : "no");
    return code;
}

int main(int argc, char** argv) {
    static struct game game;
    fardel_vfs_options options = FARDEL_VFS_OPTIONS_INIT;
    fardel_code code;
    if (argc != 2)
        return 2;
    game.folder = argv[1];
    fardel_error_init(&game.error, sizeof game.error);
    snprintf(game.policy_path, sizeof game.policy_path, "%s/trust.policy", argv[1]);
    options.log = show_log;
    code = fardel_vfs_create(&options, &game.vfs, &game.error);
    if (code == FARDEL_OK)
        code = play(&game);
    if (code != FARDEL_OK)
        fprintf(stderr, "%s: %s\n", fardel_code_name(code), game.error.text);
    fardel_vfs_destroy(game.vfs);
    return code == FARDEL_OK ? 0 : 1;
}
