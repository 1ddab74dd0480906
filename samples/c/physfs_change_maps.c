/* The game of change_maps.c over PhysicsFS alone, to set the two side by side (docs/physfs.md). Where PhysicsFS has no
 * function, the section says so, and what the game does instead.
 *
 *     sample_physfs_change_maps FOLDER        it writes its content there, and plays it
 */
#define _POSIX_C_SOURCE 200112L
#include <physfs.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUSIC_BYTES 4000000

struct game {
    const char* folder;
    char map[4096];   /* "": none yet */
    atomic_int plays; /* the frames go on */
    atomic_int base_alone;
    atomic_int frames;
};

static void path_of(const struct game* game, const char* name, char path[4096]) {
    snprintf(path, 4096, "%s/%s", game->folder, name);
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

static int read_text(const char* path, char* text, size_t size_bytes) {
    PHYSFS_sint64 count = -1;
    PHYSFS_File* file = PHYSFS_openRead(path);
    if (file != NULL) {
        count = PHYSFS_readBytes(file, text, size_bytes - 1);
        PHYSFS_close(file);
    }
    text[count > 0 ? count : 0] = '\0';
    return count >= 0;
}

static void* draw(void* context) {
    struct game* game = context;
    char text[100];
    while (atomic_load(&game->plays)) {
        if (!read_text("maps/current", text, sizeof text) || strcmp(text, "no map\n") == 0)
            atomic_fetch_add(&game->base_alone, 1);
        atomic_fetch_add(&game->frames, 1);
    }
    return NULL;
}

/* ---- Maps -------------------------------------------------------------------------------------------------------- */

/* In two steps: the new map is put before the old one, which is taken away after that; between them, names that only
 * the old one has are there, too. A file of the old one that is open keeps it mounted, so the game waits. Nobody asks
 * who signed the map, or whether what it needs is mounted. */
static int change_map(struct game* game, const char* name) {
    char path[4096];
    path_of(game, name, path);
    if (!PHYSFS_mount(path, NULL, 0))
        return 0;
    if (game->map[0] != '\0')
        while (!PHYSFS_unmount(game->map))
            if (PHYSFS_getLastErrorCode() != PHYSFS_ERR_FILES_STILL_OPEN)
                return 0;
    snprintf(game->map, sizeof game->map, "%s", path);
    return 1;
}

/* ---- Music in the background ------------------------------------------------------------------------------------- */

struct music {
    unsigned char* bytes;
    PHYSFS_sint64 size_bytes;
    int is_read;
};

/* There is no queue: the game has a thread of its own, without priorities, order on the disk or cancelling. It opens
 * the file by its name before maps change; while it reads, the old map stays mounted. */
static void* read_music(void* context) {
    struct music* music = context;
    PHYSFS_File* file = PHYSFS_openRead("music/current");
    if (file == NULL)
        return NULL;
    music->size_bytes = PHYSFS_fileLength(file);
    music->bytes = malloc((size_t)music->size_bytes);
    music->is_read = music->bytes != NULL &&
                     PHYSFS_readBytes(file, music->bytes, (PHYSFS_uint64)music->size_bytes) == music->size_bytes;
    PHYSFS_close(file);
    return NULL;
}

/* ---- What the player is shown ------------------------------------------------------------------------------------ */

/* Paths, and nothing else: there are no signers, no licences, and nothing says what is missing. */
static void show_mounts(void) {
    char** const paths = PHYSFS_getSearchPath();
    char** path;
    for (path = paths; path != NULL && *path != NULL; ++path)
        printf("mounted %s\n", strrchr(*path, '/') != NULL ? strrchr(*path, '/') + 1 : *path);
    PHYSFS_freeList(paths);
}

/* ---- Saves ------------------------------------------------------------------------------------------------------- */

/* In place: a crash leaves half a file. To be read, the folder has to be in the search path, where saves can hide
 * content and content can hide saves. */
static int write_text(const char* name, const char* text) {
    int written = 0;
    PHYSFS_File* const file = PHYSFS_openWrite(name);
    if (file != NULL) {
        written = PHYSFS_writeBytes(file, text, strlen(text)) == (PHYSFS_sint64)strlen(text);
        written = PHYSFS_close(file) && written;
    }
    return written;
}

static int save(struct game* game, const char* map) {
    char path[4096];
    char loaded[100];
    path_of(game, "saves", path);
    if (!PHYSFS_mkdir("saves/slot 1") || !write_text("saves/slot 1/map.txt", map) || !PHYSFS_mount(path, "saves", 1) ||
        !read_text("saves/slot 1/map.txt", loaded, sizeof loaded))
        return 0;
    printf("saved: %s\n", loaded);
    return 1;
}

/* ---- A server that enforces its content -------------------------------------------------------------------------- */

/* There is nothing to build it from: an archive has no id, and what is mounted cannot be proved. */

/* ---- The game ---------------------------------------------------------------------------------------------------- */

static int make_map(const char* name) {
    static unsigned char bytes[MUSIC_BYTES];
    char path[256];
    char text[100];
    PHYSFS_File* file;
    int made;
    snprintf(text, sizeof text, "map %s\n", name);
    snprintf(path, sizeof path, "%s/maps", name);
    made = PHYSFS_mkdir(path);
    snprintf(path, sizeof path, "%s/music", name);
    made = PHYSFS_mkdir(path) && made;
    snprintf(path, sizeof path, "%s/maps/current", name);
    made = made && write_text(path, text);
    snprintf(path, sizeof path, "%s/music/current", name);
    file = made ? PHYSFS_openWrite(path) : NULL;
    made = file != NULL && PHYSFS_writeBytes(file, bytes, sizeof bytes) == (PHYSFS_sint64)sizeof bytes;
    return file != NULL && PHYSFS_close(file) && made;
}

static int play(struct game* game) {
    char path[4096];
    char title[100];
    struct music music = {NULL, 0, 0};
    pthread_t frames;
    pthread_t reader;
    int i;
    int good;
    path_of(game, "base", path);
    if (!PHYSFS_mkdir("base/maps") || !PHYSFS_mkdir("base/texts") || !write_text("base/maps/current", "no map\n") ||
        !write_text("base/texts/title", "My Game\n") || !make_map("harbour") || !make_map("castle") ||
        !PHYSFS_mount(path, NULL, 1) || !change_map(game, "harbour"))
        return 0;
    read_text("texts/title", title, sizeof title);
    printf("%s", title);

    atomic_store(&game->plays, 1);
    pthread_create(&reader, NULL, read_music, &music);
    pthread_create(&frames, NULL, draw, game);
    for (i = 0, good = 1; i < 100 && good; ++i) {
        good = change_map(game, i % 2 == 0 ? "castle" : "harbour");
        while (atomic_load(&game->frames) < i)
            sched_yield(); /* at least one frame for each map */
    }
    good = good && change_map(game, "castle");
    atomic_store(&game->plays, 0);
    pthread_join(frames, NULL);
    pthread_join(reader, NULL);
    printf("%s frames drawn, %d of them without a map\n", atomic_load(&game->frames) > 0 ? "some" : "no",
           atomic_load(&game->base_alone));
    printf("music: %ld bytes, %s\n", (long)music.size_bytes, music.is_read ? "read in the background" : "not read");
    free(music.bytes);
    show_mounts();
    return good && save(game, "castle");
}

int main(int argc, char** argv) {
    static struct game game;
    int good;
    if (argc != 2)
        return 2;
    game.folder = argv[1];
    good = PHYSFS_init(argv[0]) && PHYSFS_setWriteDir(argv[1]) && play(&game);
    if (!good)
        fprintf(stderr, "%s\n", PHYSFS_getErrorByCode(PHYSFS_getLastErrorCode()));
    PHYSFS_deinit();
    return good ? 0 : 1;
}
