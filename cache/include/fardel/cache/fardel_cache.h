/* fardel_cache.h: a cache of derived data for editors and tools in C: look-ups in the background, by priority, and
 * functions of the caller that make what is not there.
 *
 * It is in a library of its own, libfardel-c-cache.so, which loads libcurl when a server is first used. docs/c-api.md
 * describes the rules for handles, structs and errors, docs/derived-cache.md the layers of a cache. No exception leaves
 * the library, and it keeps nothing per thread or per process. Every function may be called from any thread at any
 * time, except that no thread may use a handle while it is closed or released. Pointers in structs that a callback
 * receives are valid during the call.
 */
#ifndef FARDEL_CACHE_FARDEL_CACHE_H
#define FARDEL_CACHE_FARDEL_CACHE_H

#include <fardel/format/fardel_types.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Caches ----------------------------------------------------------------------------------------------------- */

/* Layers that act as one cache, asked in this order: boot file, memory, folder, added bundles, server. */
typedef struct fardel_cache fardel_cache;

enum {
    /* Nothing is sent to the server but questions. */
    FARDEL_CACHE_SERVER_READ_ONLY = 1,
    /* No layer in memory. */
    FARDEL_CACHE_NO_MEMORY = 2
};

typedef struct fardel_cache_options {
    size_t struct_size; /* sizeof(fardel_cache_options) */
    const char* folder; /* created if it does not exist; several programs may share it. May be null */
    const char* url;    /* of a server, "https://cache.example/game"; may be null */
    const char* token;  /* sent to that server alone; may be null */
    /* A file that is read as a whole at the start, and replaced by fardel_cache_close() by what was asked for or put
     * meanwhile. A damaged one is a cold start. May be null. */
    const char* boot_path;
    /* Public keys, 64 hexadecimal digits each: records of the server and of bundles count only if one of them has
     * signed them. None: all count. */
    const char* const* signed_by;
    size_t signed_by_count;
    uint64_t memory_bytes_max; /* 0: 256 MiB */
    uint64_t boot_bytes_max;   /* of the file, and of what is kept in memory for it; 0: 256 MiB */
    /* Of the folder; 0: 20 GiB. fardel_cache_close() removes what was not used for longest, or for 30 days. */
    uint64_t folder_bytes_max;
    uint32_t threads; /* that look up and build, at most 64; 0: 4 */
    uint32_t flags;   /* FARDEL_CACHE_… */
} fardel_cache_options;
#define FARDEL_CACHE_OPTIONS_INIT \
    { sizeof(fardel_cache_options), NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0 }
FARDEL_API void fardel_cache_options_init(fardel_cache_options* options, size_t struct_size);

/* The options are copied; null: a cache in memory. `*cache` is null after a failure. Errors: malformed (no layer that
 * is written, a key, the URL, a folder that is no cache), denied, no_space, io, unsupported (a later layout), missing
 * (libcurl is not installed), limit (threads), busy (the system gives no thread). */
FARDEL_API fardel_code fardel_cache_open(const fardel_cache_options* options, fardel_cache** cache,
                                         fardel_error* error);
/* Adds a bundle of `fardel cache export` as a layer that is read. Errors: missing, denied, malformed, corrupt,
 * unsupported, limit, io. */
FARDEL_API fardel_code fardel_cache_add_bundle(fardel_cache* cache, const char* path, fardel_error* error);
/* Cancels the look-ups that wait, waits for functions that run, writes to all layers what was put, then the boot file,
 * and closes the cache, also on error. Null is allowed. Errors, all about the boot file, which then is as it was:
 * missing (its folder), denied, no_space, io, malformed. */
FARDEL_API fardel_code fardel_cache_close(fardel_cache* cache, fardel_error* error);

/* ---- Keys ------------------------------------------------------------------------------------------------------- */

/* Everything that the bytes depend on. Other parts are another key. */
typedef struct fardel_cache_key {
    size_t struct_size;     /* sizeof(fardel_cache_key) */
    const char* plugin;     /* who makes the bytes, 1 to 255 bytes; statistics are kept per plug-in */
    const char* version;    /* of the plug-in, at most 255 bytes; null: "" */
    const void* parameters; /* any bytes; may be null if there are none */
    size_t parameter_bytes;
    const fardel_id* inputs; /* such as the ids of the sources, in the plug-in's order */
    size_t input_count;
} fardel_cache_key;
#define FARDEL_CACHE_KEY_INIT \
    { sizeof(fardel_cache_key), NULL, NULL, NULL, 0, NULL, 0 }
FARDEL_API void fardel_cache_key_init(fardel_cache_key* key, size_t struct_size);

/* The hash of a key's parts, the same on every system: for logs, and for keys that depend on others. Errors: malformed
 * (no plug-in), limit. */
FARDEL_API fardel_code fardel_cache_key_id(const fardel_cache_key* key, fardel_id* id, fardel_error* error);

/* ---- Look-ups --------------------------------------------------------------------------------------------------- */

/* A request for the bytes of one key. It stays valid when the cache is closed. */
typedef struct fardel_cache_lookup fardel_cache_lookup;
/* What a function builds; valid during its call. */
typedef struct fardel_cache_built fardel_cache_built;

typedef struct fardel_lookup_options {
    size_t struct_size; /* sizeof(fardel_lookup_options) */
    int32_t priority;   /* higher is sooner */
    void* context;      /* passed to `build`; valid until the look-up has ended */
    /* Called on a thread of the cache if no layer has the key, once for all look-ups of the key: adds the bytes with
     * fardel_cache_add_bytes and returns FARDEL_OK, or returns a code and writes `error`, which is never null. It must
     * not wait for other look-ups, nor release its own. Null: the look-up then ends with FARDEL_ERROR_MISSING. */
    fardel_code (*build)(void* context, fardel_cache_built* built, fardel_error* error);
} fardel_lookup_options;
#define FARDEL_LOOKUP_OPTIONS_INIT \
    { sizeof(fardel_lookup_options), 0, NULL, NULL }
FARDEL_API void fardel_lookup_options_init(fardel_lookup_options* options, size_t struct_size);

/* Adds bytes to those that were added before. */
FARDEL_API fardel_code fardel_cache_add_bytes(fardel_cache_built* built, const void* bytes, size_t size_bytes,
                                              fardel_error* error);

/* Asks for the bytes of a key, and does not wait. What was built is put into the cache. `options` may be null.
 * `*lookup` is null after a failure. Errors: malformed, limit (the key, or too many plug-ins). */
FARDEL_API fardel_code fardel_cache_get(fardel_cache* cache, const fardel_cache_key* key,
                                        const fardel_lookup_options* options, fardel_cache_lookup** lookup,
                                        fardel_error* error);
/* Sets `*has_ended` to 1 when the look-up has ended, else 0. Waits for that, at most `wait_max_ms` milliseconds; 0:
 * never, as an editor's loop needs it; UINT32_MAX: without a limit. */
FARDEL_API fardel_code fardel_lookup_poll(const fardel_cache_lookup* lookup, uint32_t wait_max_ms, int32_t* has_ended,
                                          fardel_error* error);
/* The bytes of a look-up that has ended, valid until it is released. Errors: busy (it has not ended), missing,
 * cancelled, those of `build`. */
FARDEL_API fardel_code fardel_lookup_bytes(const fardel_cache_lookup* lookup, const void** bytes, size_t* size_bytes,
                                           fardel_error* error);
/* Has no effect on a look-up that has begun. */
FARDEL_API void fardel_lookup_set_priority(fardel_cache_lookup* lookup, int32_t priority);
/* The look-up ends with FARDEL_ERROR_CANCELLED: at once, or, if its function is running, when that returns. */
FARDEL_API void fardel_lookup_cancel(fardel_cache_lookup* lookup);
/* Cancels the look-up, and waits for its function if that is running. Null is allowed. */
FARDEL_API void fardel_lookup_release(fardel_cache_lookup* lookup);

/* Puts bytes that are there. The first layer that is written has them when this returns, the others get them later.
 * Errors: malformed, limit (the key, or too many plug-ins), denied, no_space, io, unreachable. */
FARDEL_API fardel_code fardel_cache_put(fardel_cache* cache, const fardel_cache_key* key, const void* bytes,
                                        size_t size_bytes, fardel_error* error);

/* ---- Statistics ------------------------------------------------------------------------------------------------- */

typedef struct fardel_cache_plugin {
    size_t struct_size;
    const char* plugin;
    uint64_t hits;   /* look-ups that a layer answered */
    uint64_t misses; /* look-ups of keys that no layer had */
    uint64_t builds;
    uint64_t failed_builds; /* of these */
    uint64_t found_bytes;
    uint64_t built_bytes; /* and put */
    uint64_t build_us;    /* microseconds in functions */
} fardel_cache_plugin;
typedef void (*fardel_cache_plugin_listed)(void* context, const fardel_cache_plugin* plugin);
/* By name. `listed` may be null, and so may `count`. */
FARDEL_API fardel_code fardel_cache_list_plugins(const fardel_cache* cache, fardel_cache_plugin_listed listed,
                                                 void* context, size_t* count, fardel_error* error);

typedef struct fardel_cache_layer {
    size_t struct_size;
    const char* layer; /* "boot", "memory", "folder", "bundles", "server" */
    const char* name;  /* "folder /home/ann/.cache/editor" */
    uint64_t hits;
    uint64_t misses;
    uint64_t broken;  /* records and objects that do not have the bytes that were written */
    uint64_t refused; /* records without a wanted signature */
    uint64_t errors;
    uint64_t read_bytes;
    uint64_t written_bytes;
    uint64_t waited_us;  /* microseconds */
    const char* problem; /* why it is not used or not written, or its last error; "": there was none */
} fardel_cache_layer;
typedef void (*fardel_cache_layer_listed)(void* context, const fardel_cache_layer* layer);
/* In the order in which they are asked. `listed` may be null, and so may `count`. */
FARDEL_API fardel_code fardel_cache_list_layers(const fardel_cache* cache, fardel_cache_layer_listed listed,
                                                void* context, size_t* count, fardel_error* error);

#ifdef __cplusplus
}
#endif

#endif
