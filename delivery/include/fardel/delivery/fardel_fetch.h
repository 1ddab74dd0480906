/* fardel_fetch.h: stores of bundles, fetches, and bundles that are read from servers while they are used, for C.
 *
 * It is in a library of its own, libfardel-c-delivery.so, which loads libcurl when a server is first used.
 * docs/c-api.md describes the rules for handles, structs and errors, docs/delivery.md what a fetch does. No exception
 * leaves the library, and it keeps nothing per thread or per process. Every function may be called from any thread at
 * any time, with two exceptions: one thread at a time may use a fardel_fetch, except for fardel_fetch_cancel, and no
 * thread may use a handle while it is closed. A fetch, a remote bundle and a reader stay valid when the handles are
 * closed that they were made from. Pointers in structs that a callback receives are valid during the call.
 */
#ifndef FARDEL_DELIVERY_FARDEL_FETCH_H
#define FARDEL_DELIVERY_FARDEL_FETCH_H

#include <fardel/format/fardel_types.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Stores ----------------------------------------------------------------------------------------------------- */

/* A folder with bundles, which several programs may use at once. */
typedef struct fardel_store fardel_store;

/* `create` other than 0: creates the store and the folders above it if they are not there. `*store` is null after a
 * failure. Errors: missing, denied, no_space, io, malformed (not a store), unsupported (a later layout; over SMB). */
FARDEL_API fardel_code fardel_store_open(const char* path, int32_t create, fardel_store** store, fardel_error* error);
/* Null is allowed. */
FARDEL_API void fardel_store_close(fardel_store* store);

typedef struct fardel_stored_bundle {
    size_t struct_size;
    uint64_t file_bytes;
    uint64_t held_bytes; /* less than file_bytes: incomplete */
    fardel_id bundle;
} fardel_stored_bundle;
typedef void (*fardel_bundle_listed)(void* context, const fardel_stored_bundle* bundle);
typedef void (*fardel_bundle_named)(void* context, const fardel_id* bundle);

/* The bundles, in the order of their ids. `listed` and `count` may be null. Errors: denied, io. */
FARDEL_API fardel_code fardel_store_list(const fardel_store* store, fardel_bundle_listed listed, void* context,
                                         size_t* count, fardel_error* error);
/* The one bundle whose id begins with `digits`, at least 8 of the 64 hexadecimal digits. Errors: malformed, missing,
 * conflict (several do). */
FARDEL_API fardel_code fardel_store_find(const fardel_store* store, const char* digits, fardel_id* bundle,
                                         fardel_error* error);
/* The bundle and all its static dependencies, each after those that it needs: the order in which they are mounted.
 * Errors: unresolved (names those that are missing), missing, limit, corrupt, io. */
FARDEL_API fardel_code fardel_store_closure(const fardel_store* store, const fardel_id* bundle,
                                            fardel_bundle_named named, void* context, fardel_error* error);
/* Fills in a reader of the stored bundle for fardel_mount_reader(), which takes it over; otherwise call its `release`.
 * The caller sets its struct_size, as FARDEL_READER_INIT does. What happens to the store afterwards has no effect,
 * and what later fetches add to an incomplete bundle can be read. Errors: missing, corrupt, denied, io. */
FARDEL_API fardel_code fardel_store_reader(const fardel_store* store, const fardel_id* bundle, fardel_reader* reader,
                                           fardel_error* error);

/* A licence token that a store keeps. Texts are safe to print. */
typedef struct fardel_stored_license {
    size_t struct_size;
    fardel_license_token token; /* for fardel_mount_options; copy its bytes */
    const char* pattern;        /* a glob over names of bundles; null: the token is about `bundle` */
    const char* comment;        /* "" if it has none */
    uint64_t created_s;         /* Unix seconds */
    uint64_t expires_s;         /* from then on it permits nothing */
    fardel_id bundle;
    uint8_t issuer[32]; /* the public key; whether it counts is decided by the policy of each mount */
} fardel_stored_license;
typedef void (*fardel_license_listed)(void* context, const fardel_stored_license* license);

/* Keeps a token that the game got from its shop, for the bundles that it is about: they stay in the store until the
 * last token about them has ended (docs/retention.md). A token that is there already is no error. Errors: malformed,
 * unsupported (no token), untrusted (its issuer has not signed it), limit (too many), busy, denied, no_space, io. */
FARDEL_API fardel_code fardel_store_add_license(const fardel_store* store, const fardel_license_token* token,
                                                fardel_error* error);
/* The tokens, also those that have ended, in no particular order. `listed` and `count` may be null. Errors: denied,
 * io. */
FARDEL_API fardel_code fardel_store_list_licenses(const fardel_store* store, fardel_license_listed listed,
                                                  void* context, size_t* count, fardel_error* error);

/* ---- Servers and trust ------------------------------------------------------------------------------------------ */

enum {
    /* As for URLs that a stranger has named: only https on port 443 at addresses of the internet, as
     * names resolve at the moment of each connection. Others are FARDEL_ERROR_DENIED. */
    FARDEL_SERVERS_PUBLIC_ONLY = 1
};

typedef struct fardel_server_options {
    size_t struct_size; /* sizeof(fardel_server_options) */
    /* Static trees with the same bundles, "https://example.org/mygame"; a failure is tried at the next one. */
    const char* const* urls;
    size_t url_count;
    /* "host" or "host:port": servers to which FARDEL_SERVERS_PUBLIC_ONLY does not apply. */
    const char* const* allowed_hosts;
    size_t allowed_host_count;
    uint64_t bytes_per_second_max; /* of all connections together; 0: no limit */
    uint32_t connections;          /* 0: 6 */
    uint32_t flags;                /* FARDEL_SERVERS_… */
    /* URLs that a stranger has named; asked last. With them, FARDEL_SERVERS_PUBLIC_ONLY holds for all. May be null. */
    const fardel_foreign_urls* foreign_urls;
} fardel_server_options;
#define FARDEL_SERVER_OPTIONS_INIT \
    { sizeof(fardel_server_options), NULL, 0, NULL, 0, 0, 0, 0, NULL }
FARDEL_API void fardel_server_options_init(fardel_server_options* options, size_t struct_size);

enum {
    /* Dates in signatures are not checked; `now_s` has no meaning then. */
    FARDEL_TRUST_IGNORE_DATES = 1
};

/* A bundle that the policy does not trust is refused before its content is received. */
typedef struct fardel_trust_options {
    size_t struct_size;      /* sizeof(fardel_trust_options) */
    const char* policy_path; /* a trust policy's file; or null */
    const char* policy_text; /* a trust policy's text; or null. Exactly one of the two */
    uint64_t now_s;          /* Unix seconds, for dates in signatures; 0: the system's clock */
    uint32_t flags;          /* FARDEL_TRUST_… */
} fardel_trust_options;
#define FARDEL_TRUST_OPTIONS_INIT \
    { sizeof(fardel_trust_options), NULL, NULL, 0, 0 }
FARDEL_API void fardel_trust_options_init(fardel_trust_options* options, size_t struct_size);

/* ---- Adding to a store, and keeping it small (docs/retention.md) --------------------------------------------------
 */

typedef struct fardel_store_addition {
    size_t struct_size; /* sizeof(fardel_store_addition), set by the caller */
    uint64_t file_bytes;
    uint64_t written_bytes; /* to a new pack */
    uint64_t shared_bytes;  /* that other bundles in the store have, too */
    fardel_id bundle;
    int32_t was_there; /* the store had all of it; nothing was written */
} fardel_store_addition;
#define FARDEL_STORE_ADDITION_INIT \
    { sizeof(fardel_store_addition), 0, 0, 0, {{0}}, 0 }
FARDEL_API void fardel_store_addition_init(fardel_store_addition* addition, size_t struct_size);

/* Returns 0 to go on; anything else ends the call with FARDEL_ERROR_CANCELLED. */
typedef int32_t (*fardel_store_progress)(void* context, uint64_t done_bytes, uint64_t total_bytes);

/* Verifies the whole bundle file and adds it; blocks that the store has are not written again. `trust`: who must have
 * signed it; null: anybody or nobody. `addition` and `progress` may be null. Errors: missing, denied, io (the file);
 * those of the first defect that is found; untrusted, revoked, expired; cancelled, no_space. */
FARDEL_API fardel_code fardel_store_add(const fardel_store* store, const char* path, const fardel_trust_options* trust,
                                        fardel_store_progress progress, void* context, fardel_store_addition* addition,
                                        fardel_error* error);
/* Verifies a stored bundle and writes the file that was added. Errors: missing (it is not here, or not whole), those of
 * the first defect that is found, cancelled, denied, no_space, io. */
FARDEL_API fardel_code fardel_store_export(const fardel_store* store, const fardel_id* bundle, const char* path,
                                           fardel_store_progress progress, void* context, fardel_error* error);

/* Keeps a bundle, which need not be there yet, and everything that it needs. `name`: 1 to 64 of a-z, 0-9, '.', '_',
 * '-'; several names may pin one bundle. `until_s`: Unix seconds; 0: until it is unpinned. Errors: malformed (the
 * name), denied, no_space, io. */
FARDEL_API fardel_code fardel_store_pin(const fardel_store* store, const fardel_id* bundle, const char* name,
                                        uint64_t until_s, fardel_error* error);
/* Error: missing (there is no such pin). */
FARDEL_API fardel_code fardel_store_unpin(const fardel_store* store, const fardel_id* bundle, const char* name,
                                          fardel_error* error);
typedef void (*fardel_pin_listed)(void* context, const fardel_id* bundle, const char* name, uint64_t until_s);
/* `listed` and `count` may be null. */
FARDEL_API fardel_code fardel_store_list_pins(const fardel_store* store, fardel_pin_listed listed, void* context,
                                              size_t* count, fardel_error* error);

/* Has the next collections remove bundles; who opens or adds one before that takes it back. Errors: missing, denied (a
 * pin), conflict (another bundle needs one; all of them can be removed together), busy, no_space, io. */
FARDEL_API fardel_code fardel_store_remove(const fardel_store* store, const fardel_id* bundles, size_t bundle_count,
                                           fardel_error* error);

typedef struct fardel_collection_options {
    size_t struct_size;       /* sizeof(fardel_collection_options) */
    uint64_t bytes_max;       /* of all packs: the least recently used bundles go; 0: no limit */
    uint64_t unused_for_s;    /* bundles that nobody used for longer go; 0: none go for that */
    uint64_t grace_s;         /* what is condemned is removed by a collection so much later; 0: a day */
    uint64_t now_s;           /* Unix seconds; 0: the system's clock */
    int32_t is_without_grace; /* other than 0: what is condemned goes at once, and `grace_s` has no meaning */
    int32_t is_dry_run;       /* other than 0: only reports */
} fardel_collection_options;
#define FARDEL_COLLECTION_OPTIONS_INIT \
    { sizeof(fardel_collection_options), 0, 0, 0, 0, 0, 0 }
FARDEL_API void fardel_collection_options_init(fardel_collection_options* options, size_t struct_size);

typedef struct fardel_collected_bundle {
    size_t struct_size;
    uint64_t file_bytes;
    const char* reason; /* "unused", "removed by hand": docs/retention.md */
    fardel_id bundle;
    int32_t is_removed; /* 1: by this collection; 0: a later one removes it */
} fardel_collected_bundle;
typedef void (*fardel_bundle_collected)(void* context, const fardel_collected_bundle* bundle);

/* Removes what the rules say, and what no bundle needs. Safe beside everything else. `options`, `collected` and
 * `removed_bytes` may be null. Errors: unsupported (the file system has no locks; nothing is removed), busy, denied,
 * no_space, io. */
FARDEL_API fardel_code fardel_store_collect(const fardel_store* store, const fardel_collection_options* options,
                                            fardel_bundle_collected collected, void* context, uint64_t* removed_bytes,
                                            fardel_error* error);

typedef struct fardel_store_usage {
    size_t struct_size; /* sizeof(fardel_store_usage), set by the caller */
    uint64_t bundles;
    uint64_t file_bytes;     /* of all bundle files, if each lay on disk on its own */
    uint64_t pack_bytes;     /* on disk */
    uint64_t unnamed_bytes;  /* of packs that no bundle needs */
    uint64_t referred_bytes; /* in files outside of the store; not in `pack_bytes` */
    uint64_t condemned_bundles;
    uint64_t pins;
} fardel_store_usage;
#define FARDEL_STORE_USAGE_INIT \
    { sizeof(fardel_store_usage), 0, 0, 0, 0, 0, 0, 0 }
FARDEL_API void fardel_store_usage_init(fardel_store_usage* usage, size_t struct_size);
FARDEL_API fardel_code fardel_store_read_usage(const fardel_store* store, fardel_store_usage* usage,
                                               fardel_error* error);

/* ---- Fetches ---------------------------------------------------------------------------------------------------- */

/* Brings bundles into a store while the game's own loop runs. A thread inside does the work; callbacks run only on the
 * thread that calls fardel_fetch_poll. */
typedef struct fardel_fetch fardel_fetch;

/* What would be fetched of one bundle. Texts are from its metadata, safe to print, and "" if it has none. */
typedef struct fardel_planned_fetch {
    size_t struct_size;
    fardel_id bundle;
    const char* name;
    const char* version;
    const char* licence;
    const char* const* signers; /* labels of the policy's keys that counted */
    size_t signer_count;
    uint64_t file_bytes;
    uint64_t tables_bytes; /* received before the plan: heads, tables and signatures */
    /* What will be received after the plan was accepted: exact, unless something must be repeated. If the plan is made
       again because a server has another layout, this includes what has been received until then. */
    uint64_t fetch_bytes;
    uint64_t left_bytes; /* neither here nor wanted; more than 0: it will be incomplete */
    uint64_t requests;
} fardel_planned_fetch;

typedef struct fardel_fetch_plan {
    size_t struct_size;
    const fardel_planned_fetch* const* bundles; /* that are not in the store; each after those that it needs */
    size_t bundle_count;
    uint64_t fetch_bytes;
    uint64_t requests;
} fardel_fetch_plan;

typedef struct fardel_fetch_progress {
    size_t struct_size;
    uint64_t received_bytes;
    uint64_t total_bytes;
    uint64_t bytes_per_second; /* of the last seconds */
    int64_t seconds_left;      /* at this rate; -1: not known yet */
} fardel_fetch_progress;

typedef struct fardel_fetch_outcome {
    size_t struct_size;
    const char* text; /* one sentence about the failure; "" after a success */
    uint64_t received_bytes;
    uint64_t requests;
    fardel_code code;
} fardel_fetch_outcome;

typedef struct fardel_fetch_options {
    size_t struct_size;                   /* sizeof(fardel_fetch_options) */
    const fardel_server_options* servers; /* at least one URL */
    const fardel_trust_options* trust;    /* null: any bundle */
    const fardel_id* bundles;             /* their static dependencies come along */
    size_t bundle_count;
    /* What is wanted of the bundles; without any of these: everything. A bundle of which something is not here becomes
     * visible in the store as incomplete, and later fetches add to it. */
    const char* const* names; /* globs over logical names, "maps/q3dm1*" */
    size_t name_count;
    const char* const* closures; /* logical names, with everything that they refer to */
    size_t closure_count;
    const fardel_id* assets;
    size_t asset_count;
    const char* const* tags; /* "lang=de": of names with variants, only those with this tag or none on the axis */
    size_t tag_count;
    void* context; /* passed to the callbacks, which must not close the fetch */
    /* Asks for consent before any content is fetched: the fetch waits until fardel_fetch_accept or fardel_fetch_refuse
     * is called, now or at any later time. Called again if it turns out to be more than was accepted. Null: consent is
     * given. */
    void (*planned)(void* context, fardel_fetch* fetch, const fardel_fetch_plan* plan);
    void (*progress)(void* context, fardel_fetch* fetch, const fardel_fetch_progress* progress); /* or null */
    /* Called once, last. May be null. Codes of the outcome: missing, denied, busy, unreachable, corrupt, untrusted,
     * revoked, expired, limit, no_space, cancelled, io, malformed. */
    void (*ended)(void* context, fardel_fetch* fetch, const fardel_fetch_outcome* outcome);
    /* Whom the bundles are fetched for: what the store notes, and its rules per source are about. A game server chooses
     * the URLs, so a client that fetches for one gives its own name for it, such as its address; null: the first URL.
     */
    const char* source;
    /* Of the files of all bundles of this source in the store; 0: no limit. More: no_space. */
    uint64_t source_bytes_max;
    /* What a server did wrong before it was tried again or elsewhere, for a log: one sentence. May be null. */
    void (*fault)(void* context, fardel_fetch* fetch, fardel_code code, const char* text);
} fardel_fetch_options;
#define FARDEL_FETCH_OPTIONS_INIT                                                                                      \
    {                                                                                                                  \
        sizeof(fardel_fetch_options), NULL, NULL, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, NULL, NULL, NULL, \
            NULL, 0, NULL                                                                                              \
    }
FARDEL_API void fardel_fetch_options_init(fardel_fetch_options* options, size_t struct_size);

/* Starts the work. The options are copied. `*fetch` is null after a failure. Errors: malformed (no server, a URL that
 * is not one of http or https, an allowed host, a tag, the policy), missing (libcurl is not installed, the policy),
 * busy (the system gives no thread), those of fardel_store_open. */
FARDEL_API fardel_code fardel_fetch_start(const fardel_store* store, const fardel_fetch_options* options,
                                          fardel_fetch** fetch, fardel_error* error);
/* Calls the callbacks for what has happened since the last call, and sets `*has_ended`, which may be null, to 1 when
 * the fetch is over, else 0. Waits until something happens, at most `wait_max_ms` milliseconds; 0: never, as a game's
 * loop needs it. How the fetch ended is passed to `ended`; this function fails only for argument and no_memory. */
FARDEL_API fardel_code fardel_fetch_poll(fardel_fetch* fetch, uint32_t wait_max_ms, int32_t* has_ended,
                                         fardel_error* error);
/* The answers to `planned`. After a refusal the fetch ends with FARDEL_ERROR_DENIED and the reason, or without one. */
FARDEL_API void fardel_fetch_accept(fardel_fetch* fetch);
FARDEL_API void fardel_fetch_refuse(fardel_fetch* fetch, const char* reason);
/* The fetch ends soon, with FARDEL_ERROR_CANCELLED. Any thread. What was received stays for the next fetch. */
FARDEL_API void fardel_fetch_cancel(fardel_fetch* fetch);
/* Cancels the fetch and waits until it has ended, at most as long as one write to the disk lasts. Calls no callback.
 * Null is allowed. */
FARDEL_API void fardel_fetch_close(fardel_fetch* fetch);

/* ---- Bundles that are read from servers while they are used ----------------------------------------------------- */

/* The connection to servers, for any number of bundles. */
typedef struct fardel_servers fardel_servers;
/* A bundle that comes by range when it is read; docs/streaming.md. */
typedef struct fardel_remote fardel_remote;

/* Connects to nothing yet. `*servers` is null after a failure. Errors: malformed (no URL, one that is not http or
 * https, an allowed host), missing (libcurl is not installed). */
FARDEL_API fardel_code fardel_servers_open(const fardel_server_options* options, fardel_servers** servers,
                                           fardel_error* error);
/* Ends all requests: reads that wait, and later ones of what is not here, return FARDEL_ERROR_CANCELLED. Call it before
 * unmounting, so that no thread waits. */
FARDEL_API void fardel_servers_stop(fardel_servers* servers);
/* Stops, too. Null is allowed. */
FARDEL_API void fardel_servers_close(fardel_servers* servers);

/* Reads heads and signatures, from the store or a server. What is read is kept in the store, and a later fetch goes on
 * from there. `trust` may be null. `*remote` is null after a failure. Errors: unreachable, missing, denied, corrupt,
 * untrusted, revoked, expired, malformed, cancelled, no_space, io. */
FARDEL_API fardel_code fardel_remote_open(const fardel_store* store, const fardel_servers* servers,
                                          const fardel_id* bundle, const fardel_trust_options* trust,
                                          fardel_remote** remote, fardel_error* error);
/* Readers stay valid. Null is allowed. */
FARDEL_API void fardel_remote_close(fardel_remote* remote);
/* Fills in a reader, as fardel_store_reader does. Reading what is not here waits for a server. */
FARDEL_API fardel_code fardel_remote_reader(const fardel_remote* remote, fardel_reader* reader, fardel_error* error);
/* The bundles that its static references lead into. Mount them first. Errors: those of reading. */
FARDEL_API fardel_code fardel_remote_dependencies(const fardel_remote* remote, fardel_bundle_named named, void* context,
                                                  fardel_error* error);
/* Requests the content of assets that is not here, behind everything that somebody waits for; greater priorities first.
 * Returns when all is requested. What fails is requested again when it is read. Errors: missing (the bundle has no such
 * asset), those of reading. */
FARDEL_API fardel_code fardel_remote_want(const fardel_remote* remote, const fardel_id* assets, size_t asset_count,
                                          int32_t priority, fardel_error* error);
/* Sets `*is_here` to 1 if all content of the asset is here, else 0. Errors: as fardel_remote_want. */
FARDEL_API fardel_code fardel_remote_is_here(const fardel_remote* remote, const fardel_id* asset, int32_t* is_here,
                                             fardel_error* error);

/* Reads ahead along the traces that lie beside bundles on servers (docs/traces.md). */
typedef struct fardel_read_ahead fardel_read_ahead;

/* Requests what the traces of these bundles list, in their order, behind everything that somebody waits for, on a
 * thread that ends when all is requested. Bundles of which nothing is kept in the store are left out. A bundle without
 * a trace, or with a wrong one, is no error. The remotes may be closed meanwhile. `*ahead` is null after a failure.
 * Errors: busy (the system gives no thread), missing (libcurl is not installed). */
FARDEL_API fardel_code fardel_read_ahead_start(const fardel_servers* servers, const fardel_remote* const* remotes,
                                               size_t remote_count, fardel_read_ahead** ahead, fardel_error* error);
/* Waits until all is requested, or could not be. What was requested may come later. One thread at a time. */
FARDEL_API void fardel_read_ahead_wait(fardel_read_ahead* ahead);
/* Ends the thread; what was requested comes all the same. The thread may be waiting for a server, which
 * fardel_servers_stop() ends. Null is allowed. */
FARDEL_API void fardel_read_ahead_close(fardel_read_ahead* ahead);

/* ---- Projects that are edited while the game runs (docs/development.md) ------------------------------------------ */

/* Follows a project that `fardel serve --project` serves: its files as they are now, as one bundle whose id changes
 * with every edit, and the bundles that it needs. For development. */
typedef struct fardel_project fardel_project;

typedef struct fardel_project_options {
    size_t struct_size; /* sizeof(fardel_project_options) */
    /* Null: anything is accepted. Roots have no signatures, so only a policy with `unsigned allow` accepts them; the
     * VFS is tainted then. */
    const fardel_trust_options* trust;
    const fardel_id* mounted; /* by the game: bundles that a root may need and that are not opened */
    size_t mounted_count;
} fardel_project_options;
#define FARDEL_PROJECT_OPTIONS_INIT \
    { sizeof(fardel_project_options), NULL, NULL, 0 }
FARDEL_API void fardel_project_options_init(fardel_project_options* options, size_t struct_size);

/* Connects to nothing yet. The first URL of the servers is the project's; bundles that it needs come from the store or
 * from any of them. Store and servers stay open until the project is closed. `options` may be null. `*project` is null
 * after a failure. Errors: missing (libcurl is not installed, the policy), malformed (the policy). */
FARDEL_API fardel_code fardel_project_open(const fardel_store* store, const fardel_servers* servers,
                                           const fardel_project_options* options, fardel_project** project,
                                           fardel_error* error);
/* Asks the server once for the latest root, and sets `*has_changed`, which may be null, to 1 if it is another one than
 * before, else 0. Waits for the server, so a game calls it on a thread of its own, twice per second. Errors: busy (the
 * server has no root yet), malformed or missing (it serves no project), unresolved (nobody has a bundle that the root
 * needs), cancelled, those of fardel_remote_open. After one, the root is the one before, and the next call asks again.
 * This and the functions below except fardel_project_stop: one thread at a time. */
FARDEL_API fardel_code fardel_project_poll(fardel_project* project, int32_t* has_changed, fardel_error* error);
/* The id of the root. Error: missing (no fardel_project_poll has succeeded yet). */
FARDEL_API fardel_code fardel_project_root(const fardel_project* project, fardel_id* root, fardel_error* error);
/* The static dependencies of the root, each after those that it needs, and the root itself last. `named` and `count`
 * may be null. */
FARDEL_API fardel_code fardel_project_bundles(const fardel_project* project, fardel_bundle_named named, void* context,
                                              size_t* count, fardel_error* error);
/* Fills in readers of all of them, in that order, for fardel_replace_readers(). `reader_count` is their number. The
 * caller sets the struct_size of each. Error: limit (another number). */
FARDEL_API fardel_code fardel_project_readers(const fardel_project* project, fardel_reader* readers,
                                              size_t reader_count, fardel_error* error);
/* A fardel_project_poll that waits, and all later ones, return FARDEL_ERROR_CANCELLED. Any thread. */
FARDEL_API void fardel_project_stop(fardel_project* project);
/* Readers stay valid. Null is allowed. */
FARDEL_API void fardel_project_close(fardel_project* project);

/* ---- Channels (docs/channels.md) -------------------------------------------------------------------------------- */

typedef struct fardel_channel_options {
    size_t struct_size;       /* sizeof(fardel_channel_options) */
    const char* name;         /* of the channel, "mygame/stable" */
    const char* root_text;    /* a root that the game has from elsewhere; null: it has been followed before */
    const char* state_folder; /* outside the store, for the second copy of what was accepted */
    const fardel_server_options* servers; /* at least one URL; for fardel_channel_accepted: null is allowed */
    uint64_t now_s;                       /* Unix seconds; 0: the system's clock */
} fardel_channel_options;
#define FARDEL_CHANNEL_OPTIONS_INIT \
    { sizeof(fardel_channel_options), NULL, NULL, NULL, NULL, 0 }
FARDEL_API void fardel_channel_options_init(fardel_channel_options* options, size_t struct_size);

typedef struct fardel_channel_bundle {
    size_t struct_size;
    fardel_id bundle;
    const char* name;
    const char* version;
    const char* recall; /* why it is recalled; null: it is not */
    uint64_t file_bytes;
} fardel_channel_bundle;

/* What was accepted of a channel. */
typedef struct fardel_channel_state {
    size_t struct_size;
    uint64_t root_version;
    uint64_t release_version; /* 0: none yet, and there are no bundles */
    uint64_t head_version;    /* 0: none counts */
    uint64_t fresh_until_s;   /* Unix seconds. Later, the channel is stale: what is installed stays of use */
    const fardel_channel_bundle* const* bundles; /* of the release, by name */
    size_t bundle_count;
    /* A trust policy with the channel's rules and all recalls, for fetches, mounts and fardel_judge_again. Of a channel
     * without rules, it accepts everything that is not recalled. */
    const char* policy_text;
    const char* failure_text; /* why an update accepted nothing newer, or not all; "" if it did */
    fardel_code failure;      /* its code, or FARDEL_OK */
    /* Something is recalled that was not in the store's state. Another program may have followed the channel since
     * content was mounted, so fardel_judge_again is called with policy_text after every update. */
    int32_t has_new_recalls;
} fardel_channel_state;
typedef void (*fardel_channel_reported)(void* context, const fardel_channel_state* state);

/* Reports what was accepted before; asks no server. Errors: missing (the channel was never followed, and there is no
 * root), conflict (several channels of this name were followed), untrusted, malformed, corrupt, denied, io. */
FARDEL_API fardel_code fardel_channel_accepted(const fardel_store* store, const fardel_channel_options* options,
                                               fardel_channel_reported reported, void* context, fardel_error* error);

/* One update from servers. A thread inside does the work. */
typedef struct fardel_channel_follow fardel_channel_follow;

/* `*follow` is null after a failure. Errors: malformed (a URL), missing (libcurl is not installed), busy. */
FARDEL_API fardel_code fardel_channel_follow_start(const fardel_store* store, const fardel_channel_options* options,
                                                   fardel_channel_follow** follow, fardel_error* error);
/* Waits for the end, at most `wait_max_ms`. `*has_ended` is 1 then, and `reported` has been called once, unless the
 * update ended with an error: those of fardel_channel_accepted, busy, cancelled, no_space. What servers do wrong is
 * fardel_channel_state.failure. `reported` may be null. */
FARDEL_API fardel_code fardel_channel_follow_poll(fardel_channel_follow* follow, uint32_t wait_max_ms,
                                                  fardel_channel_reported reported, void* context, int32_t* has_ended,
                                                  fardel_error* error);
/* The update ends soon, with the error cancelled. Any thread. */
FARDEL_API void fardel_channel_follow_cancel(fardel_channel_follow* follow);
/* Cancels the update and waits until it has ended. Null is allowed. */
FARDEL_API void fardel_channel_follow_close(fardel_channel_follow* follow);

/* ---- Bundles by name (docs/installing.md) ------------------------------------------------------------------------ */

/* Installs bundles of a channel by their names, with everything that they require. A lock file says what is installed;
 * it is replaced in one step, last. */
typedef struct fardel_install fardel_install;

typedef struct fardel_installed_bundle {
    size_t struct_size;
    fardel_id bundle;
    const char* name;          /* "" if it is only a static dependency and has none */
    const char* version;       /* as the name */
    const char* root;          /* the text that it was installed by; null: others need it */
    const fardel_id* resolved; /* what its requirements mean: fardel_mount_options.resolved */
    size_t resolved_count;
    const uint8_t* author; /* the public key, 32 bytes, of whom the policy knows as its author; null: nobody */
} fardel_installed_bundle;

/* What is to be mounted, or is going to be. */
typedef struct fardel_installed_set {
    size_t struct_size;
    uint64_t release;
    const fardel_installed_bundle* const* bundles; /* in the order of mounting */
    size_t bundle_count;
    const char* policy_text;        /* for the mounts, with all recalls; null in a plan */
    const fardel_fetch_plan* fetch; /* what is to be fetched; null: this is what is installed */
} fardel_installed_set;
typedef void (*fardel_installed_reported)(void* context, const fardel_installed_set* installed);

enum {
    /* Brings what is installed to the newest versions that go together. `names`: the bundles that may change; none:
       all of them. */
    FARDEL_INSTALL_UPDATE = 1
};

typedef struct fardel_install_options {
    size_t struct_size; /* sizeof(fardel_install_options) */
    const char* lock;   /* the path of the lock file; it need not exist for the first installation */
    /* Its name and servers may be null if there is a lock file, which has them. A root is needed the first time. */
    const fardel_channel_options* channel;
    const char* const* names; /* to install: with bounds, "mods/castle >= 1.0, < 2" */
    size_t name_count;
    void* context; /* passed to the callbacks, which must not close the installation */
    /* Asks for consent, as fardel_fetch_options.planned does. Null: consent is given. */
    void (*planned)(void* context, fardel_install* install, const fardel_installed_set* plan);
    void (*progress)(void* context, fardel_install* install, const fardel_fetch_progress* progress); /* or null */
    /* Called once, last. May be null. `installed` is null after a failure. Codes: unresolved (conflicts), conflict,
     * those of fardel_fetch_options.ended and of fardel_channel_state.failure. */
    void (*ended)(void* context, fardel_install* install, const fardel_fetch_outcome* outcome,
                  const fardel_installed_set* installed);
    uint32_t flags; /* FARDEL_INSTALL_… */
    /* "mods/castle=<64 digits of a key>": other authors than before whose bundles may be installed by these names.
     * Without them, the installation ends with FARDEL_ERROR_CONFLICT; fardel_install_author has the texts. */
    const char* const* accepted_authors;
    size_t accepted_author_count;
} fardel_install_options;
#define FARDEL_INSTALL_OPTIONS_INIT \
    { sizeof(fardel_install_options), NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, 0, NULL, 0 }
FARDEL_API void fardel_install_options_init(fardel_install_options* options, size_t struct_size);

/* Starts the work. The options are copied. `*install` is null after a failure. Errors: argument, malformed (a URL),
 * missing (libcurl is not installed), busy, those of fardel_store_open. */
FARDEL_API fardel_code fardel_install_start(const fardel_store* store, const fardel_install_options* options,
                                            fardel_install** install, fardel_error* error);
/* As the functions of a fardel_fetch. */
FARDEL_API fardel_code fardel_install_poll(fardel_install* install, uint32_t wait_max_ms, int32_t* has_ended,
                                           fardel_error* error);
FARDEL_API void fardel_install_accept(fardel_install* install);
FARDEL_API void fardel_install_refuse(fardel_install* install, const char* reason);
FARDEL_API void fardel_install_cancel(fardel_install* install);
FARDEL_API void fardel_install_close(fardel_install* install);
/* Why the names cannot be installed together: one of the sentences, from 0; null after the last, and before the end.
 * Valid until the installation is closed. */
FARDEL_API const char* fardel_install_conflict(const fardel_install* install, size_t number);
/* A name that another author has now, with the new key, as fardel_install_options.accepted_authors takes it; from 0;
 * null after the last, and before the end. The text of the outcome has the keys of before, too: show it to the player
 * before you start again with what this returns. A name whose new bundle has no author that the policy knows is in that
 * text alone. Valid until the installation is closed. */
FARDEL_API const char* fardel_install_author(const fardel_install* install, size_t number);

/* Reports what the lock file names, compared with the bundles in the store; asks no server. `channel` needs only a
 * state_folder. Errors: missing, conflict, unresolved, untrusted, revoked, malformed, corrupt, denied, io. */
FARDEL_API fardel_code fardel_install_read(const fardel_store* store, const char* lock,
                                           const fardel_channel_options* channel, fardel_installed_reported reported,
                                           void* context, fardel_error* error);
/* Takes bundles that were installed by name out of the lock file, with everything that only they need. Errors: missing
 * (a name: nothing is removed), malformed, denied, no_space, io. */
FARDEL_API fardel_code fardel_install_remove(const fardel_store* store, const char* lock, const char* const* names,
                                             size_t name_count, fardel_error* error);

#ifdef __cplusplus
}
#endif

#endif
