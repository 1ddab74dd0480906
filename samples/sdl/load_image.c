/* Loads a picture from a bundle through SDL, and compares it with the same picture in a file.
 *
 *     sample_load_image BUNDLE POLICY PATH FILE [show]      show: in a window, until its input ends
 */
#include <SDL.h>
#include <fardel/vfs/fardel_rwops.h>

#include <stdio.h>
#include <string.h>

static int is_same_picture(const SDL_Surface* a, const SDL_Surface* b) {
    if (a->w != b->w || a->h != b->h || a->format->format != b->format->format)
        return 0;
    for (int y = 0; y < a->h; ++y)
        if (memcmp((const char*)a->pixels + y * a->pitch, (const char*)b->pixels + y * b->pitch,
                   (size_t)a->w * a->format->BytesPerPixel) != 0)
            return 0;
    return 1;
}

/* Calls that a decoder of pictures does not make. */
static int check_stream(const fardel_vfs* vfs, const char* path) {
    char byte = 0;
    SDL_RWops* const stream = fardel_rwops_open(vfs, path);
    if (stream == NULL)
        return 0;
    const Sint64 size_bytes = SDL_RWsize(stream);
    const int good = SDL_RWseek(stream, -1, RW_SEEK_SET) < 0 && SDL_RWseek(stream, 0, RW_SEEK_END) == size_bytes &&
                     SDL_RWread(stream, &byte, 1, 1) == 0 && SDL_RWseek(stream, -size_bytes, RW_SEEK_CUR) == 0 &&
                     SDL_RWread(stream, &byte, 1, 1) == 1 && byte == 'B' && SDL_RWtell(stream) == 1 &&
                     SDL_RWwrite(stream, &byte, 1, 1) == 0 && fardel_rwops_open(vfs, "/no such picture") == NULL;
    SDL_RWclose(stream);
    return good;
}

static int show(SDL_Surface* picture) {
    if (SDL_Init(SDL_INIT_VIDEO) != 0)
        return 0;
    SDL_Window* const window =
        SDL_CreateWindow("A picture out of a bundle", 0, 0, picture->w, picture->h, SDL_WINDOW_BORDERLESS);
    SDL_Surface* const screen = window != NULL ? SDL_GetWindowSurface(window) : NULL;
    const int is_shown =
        screen != NULL && SDL_BlitSurface(picture, NULL, screen, NULL) == 0 && SDL_UpdateWindowSurface(window) == 0;
    if (is_shown) {
        puts("shown");
        fflush(stdout);
        getchar();
    } else {
        fprintf(stderr, "%s\n", SDL_GetError());
    }
    SDL_DestroyWindow(window);
    SDL_Quit();
    return is_shown;
}

int main(int argc, char** argv) {
    if (argc != 5 && argc != 6)
        return 2;
    fardel_error error = FARDEL_ERROR_INIT;
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    options.policy_path = argv[2];
    fardel_vfs* vfs = NULL;
    if (fardel_vfs_create(NULL, &vfs, &error) != FARDEL_OK ||
        fardel_mount_file(vfs, argv[1], &options, NULL, &error) != FARDEL_OK) {
        fprintf(stderr, "%s: %s\n", fardel_code_name(error.code), error.text);
        fardel_vfs_destroy(vfs);
        return 1;
    }
    const int streams_well = check_stream(vfs, argv[3]);
    SDL_RWops* const stream = fardel_rwops_open(vfs, argv[3]);
    fardel_vfs_destroy(vfs); /* open files stay usable */
    SDL_Surface* const picture = stream != NULL ? SDL_LoadBMP_RW(stream, 1) : NULL;
    if (picture == NULL)
        fprintf(stderr, "%s\n", SDL_GetError());
    SDL_Surface* const expected = SDL_LoadBMP(argv[4]);
    const int same = picture != NULL && expected != NULL && is_same_picture(picture, expected);
    if (picture != NULL)
        printf("%s: %d x %d, %s\n", argv[3], picture->w, picture->h,
               same ? "the same as the file" : "NOT the same as the file");
    const int is_shown = argc == 5 || (picture != NULL && show(picture));
    SDL_FreeSurface(picture);
    SDL_FreeSurface(expected);
    return same && streams_well && is_shown ? 0 : 1;
}
