/* fardel.h: the C API of Fardel's VFS: mount bundles, look names up, read verified bytes. See also docs/c-api.md.
 *
 * C11 and C++. The ABI is stable: handles are opaque; structs of the caller begin with their own size and grow only at
 * their end; codes keep their numbers. No exception leaves the library, and it keeps nothing per thread or per process.
 * Every function may be called from any thread at any time, with two exceptions: one thread at a time may use a
 * fardel_listing, and no thread may use a handle while it is closed or destroyed. Text is UTF-8 and ends in NUL. Paths
 * are those of docs/vfs.md; the '/' at the front may be left out.
 */
#ifndef FARDEL_VFS_FARDEL_H
#define FARDEL_VFS_FARDEL_H

#include <fardel/format/fardel_types.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Codes, versions, ids --------------------------------------------------------------------------------------- */

/* "no_space"; "ok" for FARDEL_OK; "unknown" for any other number. Static. */
FARDEL_API const char* fardel_code_name(fardel_code code);

/* The version of the loaded library: major << 16 | minor << 8 | patch; and as text, "0.1.0", static. */
FARDEL_API uint32_t fardel_version(void);
FARDEL_API const char* fardel_version_text(void);

/* Writes 64 lower-case hexadecimal digits and NUL. Does nothing if a pointer is null. */
FARDEL_API void fardel_id_text(const fardel_id* id, char text[65]);
/* Reads an id from exactly 64 lower-case hexadecimal digits. Error: malformed; `id` is unchanged then. */
FARDEL_API fardel_code fardel_id_parse(const char* text, fardel_id* id, fardel_error* error);

/* ---- A VFS and its mounts --------------------------------------------------------------------------------------- */

typedef struct fardel_vfs fardel_vfs;

/* Unique within its VFS, never used again, never 0. */
typedef uint32_t fardel_mount_id;

/* What a mounted bundle needs and is not mounted, so that references into it lead nowhere: a bundle, or a requirement
 * that no mounted bundle meets. */
typedef struct fardel_missing_dependency {
    size_t struct_size;
    fardel_mount_id mount; /* of the bundle that depends on it */
    fardel_id bundle;      /* the missing one; all zero: see `requirement` */
    /* "studio/base >= 1.0", valid during the call; null: `bundle` is missing. */
    const char* requirement;
} fardel_missing_dependency;
/* Called once for each missing dependency. It must not call a function that changes the same VFS. */
typedef void (*fardel_dependency_missing)(void* context, const fardel_missing_dependency* missing);

/* Where a VFS takes memory from. Both functions are called by any thread, several at once. */
typedef struct fardel_allocator {
    size_t struct_size;
    void* context;
    /* Null if there is no memory: FARDEL_ERROR_NO_MEMORY then. `alignment` is a power of two. */
    void* (*allocate)(void* context, size_t size_bytes, size_t alignment);
    void (*release)(void* context, void* memory, size_t size_bytes, size_t alignment);
} fardel_allocator;
#define FARDEL_ALLOCATOR_INIT \
    { sizeof(fardel_allocator), NULL, NULL, NULL }

/* Other threads that share reads: those of a game's job system. The thread that reads takes part, and never waits for a
 * task that has not begun. */
typedef struct fardel_executor {
    size_t struct_size;    /* sizeof(fardel_executor) */
    void* context;         /* passed to `run` */
    uint32_t thread_count; /* how many tasks may run at once, besides the thread that reads; at least 1 */
    /* Has some thread call task(argument) exactly once, now or later: a task that is never called leaks. No task waits
     * for another one; one that begins late returns at once. Called by any thread that reads. */
    void (*run)(void* context, void (*task)(void* argument), void* argument);
} fardel_executor;
#define FARDEL_EXECUTOR_INIT \
    { sizeof(fardel_executor), NULL, 1, NULL }

typedef int32_t fardel_log_level;
enum {
    FARDEL_LOG_ERROR = 0,   /* damage */
    FARDEL_LOG_WARNING = 1, /* something was refused or withdrawn */
    FARDEL_LOG_NOTE = 2     /* a change that was asked for */
};
/* Receives one sentence, from the thread whose call it is about. It must not change the same VFS. */
typedef void (*fardel_log)(void* context, fardel_log_level level, const char* text);

/* A mounted bundle that a policy withdraws. */
typedef struct fardel_recalled_mount {
    size_t struct_size;
    fardel_id bundle;
    const char* label;  /* of the mount */
    const char* reason; /* one sentence */
    fardel_mount_id mount;
} fardel_recalled_mount;
typedef void (*fardel_recalled)(void* context, const fardel_recalled_mount* recalled);

typedef struct fardel_vfs_options {
    size_t struct_size;   /* sizeof(fardel_vfs_options) */
    uint64_t cache_bytes; /* for decoded blocks; 0: no cache */
    /* Receives each dependency that is missing after a change of the mounts and was not before, from the thread that
     * makes the change, before the call returns; null: nothing does. */
    fardel_dependency_missing dependency_missing;
    void* dependency_context; /* passed to it */
    uint32_t flags;           /* FARDEL_VFS_… */
    /* A folder of the disk for digests of the files in mounted folders: the next mount reads only files that changed
     * since. It is created; its files may be deleted at any time. Null: each mount reads all files. */
    const char* digest_folder;
    /* Receives each mounted bundle that fardel_judge_again withdraws and that was not withdrawn before; null: nothing
     * does. */
    fardel_recalled recalled;
    void* recalled_context; /* passed to it */
    /* Receives what the VFS does and refuses; null: nothing is written anywhere. */
    fardel_log log;
    void* log_context; /* passed to it */
    /* Copied. Gives the memory of the cache of decoded blocks and of buffers for stored bytes: all that grows with what
     * is read. Tables, names and handles come from malloc. It has to work until the VFS and all its files, streams and
     * views are gone. Null: everything comes from malloc. */
    const fardel_allocator* allocator;
    /* Copied. Shares reads of several blocks, and those of fardel_read_files. It has to work until the VFS and all its
     * files, streams and views are gone. Null: the
     * VFS starts `read_threads`. */
    const fardel_executor* executor;
    /* The VFS starts so many threads for these reads, at most 64, or as many of them as the system gives; 0: the thread
     * that reads does everything. */
    uint32_t read_threads;
} fardel_vfs_options;
#define FARDEL_VFS_OPTIONS_INIT \
    { sizeof(fardel_vfs_options), UINT64_C(32) << 20, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0 }

enum {
    /* fardel_open and its relatives return FARDEL_ERROR_MISSING for an asset whose content is not all here, not a
     * file whose reads would fail or wait for a server. */
    FARDEL_VFS_OPEN_NEEDS_CONTENT = 1,
    /* Notes which assets are opened, for fardel_read_trace: in 7 MB of memory, the first 65,536 of them. */
    FARDEL_VFS_RECORDS_TRACE = 2
};

/* `options` may be null. `*vfs` is null after a failure. Errors: argument, no_memory. */
FARDEL_API fardel_code fardel_vfs_create(const fardel_vfs_options* options, fardel_vfs** vfs, fardel_error* error);
/* No call with this VFS may be running. Its files and listings stay valid. Null is allowed. */
FARDEL_API void fardel_vfs_destroy(fardel_vfs* vfs);

enum {
    /* This bundle's published names are found in any case. */
    FARDEL_MOUNT_FOLD_CASE = 1,
    /* Development: also mount content that the policy does not trust; the VFS is tainted then. */
    FARDEL_MOUNT_ALLOW_UNSIGNED = 2,
    /* A folder, or a bundle file that others replace: fardel_poll follows it. */
    FARDEL_MOUNT_WATCH = 4,
    /* Dates in signatures and metadata are not checked; `now_s` has no meaning then. */
    FARDEL_MOUNT_IGNORE_DATES = 8,
    /* A bundle whose static dependencies are not all mounted is refused: FARDEL_ERROR_UNRESOLVED. */
    FARDEL_MOUNT_REQUIRE_DEPENDENCIES = 16,
    /* A bundle that a server brought: visible only in pure mode, and only if the policy's content set has it at this
     * place. */
    FARDEL_MOUNT_PURE_ONLY = 32
};

typedef struct fardel_mount_options {
    size_t struct_size;      /* sizeof(fardel_mount_options) */
    const char* place;       /* the mount point: the folder of the published names, "mods/x"; null: the root */
    const char* policy_path; /* a trust policy's file; or null */
    const char* policy_text; /* a trust policy's text; or null. At most one of the two */
    const char* label;       /* names the bundle in messages; null: its path, or "memory" */
    uint64_t now_s;          /* Unix seconds, for dates in signatures and metadata; 0: the system's clock */
    int32_t priority;        /* of two mounts the higher wins; of equal ones the later */
    uint32_t flags;          /* FARDEL_MOUNT_… */
    /* For bundles that require a licence token: one of these has to permit its use by the policy. Without one, the
     * mount fails: missing (none is about it), untrusted, revoked, expired. Copied; a token that is damaged is an
     * error. */
    const fardel_license_token* licenses;
    size_t license_count;
    /* Bundles that the bundle's requirements mean, at most 256: references of its assets are looked up in them behind
     * its static dependencies. They count as dependencies that it needs. Copied. */
    const fardel_id* resolved;
    size_t resolved_count;
    /* Which variants of this bundle's names are taken, as for fardel_prefer_in_mount; null: as the VFS prefers. */
    const char* preference;
    /* Of a project (fardel_enable_projects) with several targets, the one that is mounted; null: the only one. */
    const char* project_target;
} fardel_mount_options;
#define FARDEL_MOUNT_OPTIONS_INIT \
    { sizeof(fardel_mount_options), NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0, NULL, 0, NULL, NULL }

/* Mounts the bundle at the path, or for development (FARDEL_MOUNT_ALLOW_UNSIGNED) the folder or legacy archive there.
 * Without a policy and FARDEL_MOUNT_ALLOW_UNSIGNED every bundle is untrusted. `mount` may be null. Errors: missing,
 * denied, io (the file); denied (a name is of a class that its signers may not bring); malformed, unsupported, corrupt,
 * limit (the bundle, the mount point, the policy); untrusted, revoked, expired; conflict (already mounted at this mount
 * point); unresolved (with FARDEL_MOUNT_REQUIRE_DEPENDENCIES). On an error nothing changes. */
FARDEL_API fardel_code fardel_mount_file(fardel_vfs* vfs, const char* path, const fardel_mount_options* options,
                                         fardel_mount_id* mount, fardel_error* error);
/* The bundle's bytes are copied. */
FARDEL_API fardel_code fardel_mount_memory(fardel_vfs* vfs, const void* bytes, size_t size_bytes,
                                           const fardel_mount_options* options, fardel_mount_id* mount,
                                           fardel_error* error);
/* Mounts the bundle whose bytes the reader gives: one of a store, one that is read from servers (fardel_fetch.h), or of
 * the game's own. The struct is copied. The library calls `release` when no mount and no file needs the reader,
 * also if the mount fails; only a struct with a wrong struct_size or without read_at is not taken over
 * (FARDEL_ERROR_ARGUMENT). Errors of the reader reach whoever reads. */
FARDEL_API fardel_code fardel_mount_reader(fardel_vfs* vfs, const fardel_reader* reader,
                                           const fardel_mount_options* options, fardel_mount_id* mount,
                                           fardel_error* error);
/* Fills in a reader of the bundle that `fardel append` has put behind a program, for fardel_mount_reader() and what
 * else takes readers over; otherwise call its `release`. `program`: the path of its file; null: the running program.
 * The caller sets the reader's struct_size, as FARDEL_READER_INIT does. Errors: missing (no file, or nothing is
 * appended); malformed (the end of the file is damaged); unsupported (a newer version of the format; for null, a system
 * that does not tell where the running program is); denied, io. */
FARDEL_API fardel_code fardel_appended_reader(const char* program, fardel_reader* reader, fardel_error* error);
/* One thing to be mounted: exactly one of `path`, `bytes` and `reader`. */
typedef struct fardel_mount_request {
    size_t struct_size;          /* sizeof(fardel_mount_request) */
    const char* path;            /* as for fardel_mount_file */
    const void* bytes;           /* copied, as for fardel_mount_memory */
    size_t size_bytes;           /* of `bytes` */
    const fardel_reader* reader; /* taken over, as for fardel_mount_reader */
    const fardel_mount_options* options;
} fardel_mount_request;
#define FARDEL_MOUNT_REQUEST_INIT \
    { sizeof(fardel_mount_request), NULL, NULL, 0, NULL, NULL }

typedef struct fardel_mount_priority {
    fardel_mount_id mount;
    int32_t priority;
} fardel_mount_priority;

/* A change of the mounts that takes effect as a whole or not at all. */
typedef struct fardel_mount_change {
    size_t struct_size; /* sizeof(fardel_mount_change) */
    const fardel_mount_id* unmounts;
    size_t unmount_count;
    const fardel_mount_request* const* mounts; /* in this order; later ones win */
    size_t mount_count;
    /* New priorities of mounts that stay. Each counts as mounted now, in this order, before those of `mounts`. */
    const fardel_mount_priority* priorities;
    size_t priority_count;
    fardel_mount_id* new_mounts; /* room for `mount_count`; or null */
} fardel_mount_change;
#define FARDEL_MOUNT_CHANGE_INIT \
    { sizeof(fardel_mount_change), NULL, 0, NULL, 0, NULL, 0, NULL }

/* Makes the whole change in one step: every look-up sees all of it or nothing of it, so a game changes its map without
 * a moment in which only the base game is there. Files are read and hashed before, and delay nobody. Readers are taken
 * over, all of them or, for FARDEL_ERROR_ARGUMENT, none. Errors: those of fardel_mount_file and fardel_unmount; on an
 * error nothing has changed. */
FARDEL_API fardel_code fardel_apply(fardel_vfs* vfs, const fardel_mount_change* change, fardel_error* error);
/* Open files and listings stay valid. Error: missing. */
FARDEL_API fardel_code fardel_unmount(fardel_vfs* vfs, fardel_mount_id mount, fardel_error* error);
/* 1 if a bundle is mounted that no policy vouches for, else 0; 0 for null. */
FARDEL_API int fardel_is_tainted(const fardel_vfs* vfs);

/* Judges all mounted bundles again by a policy with the revocations of today, such as the policy_text of a channel that
 * is followed (fardel_fetch.h). What it withdraws stays mounted, but opening its content is FARDEL_ERROR_REVOKED; files
 * that are open stay readable. What is withdrawn no more can be opened again; other refusals mean nothing here.
 * `now_s`: Unix seconds; 0: the system's clock. `recalled` and `count` may be null; they receive all that is withdrawn
 * now. Errors: malformed, limit, unsupported (the policy). */
FARDEL_API fardel_code fardel_judge_again(fardel_vfs* vfs, const char* policy_text, uint64_t now_s,
                                          fardel_recalled recalled, void* context, size_t* count, fardel_error* error);

/* Reports the dependencies of visible mounts that are missing now, in order of precedence. `count`, which may be
 * null, is set to their number; so may `missing`. */
FARDEL_API fardel_code fardel_missing_dependencies(const fardel_vfs* vfs, fardel_dependency_missing missing,
                                                   void* context, size_t* count, fardel_error* error);

/* Chooses the variants that are taken from now on: "texture=astc,png lang=fr,en triangles<=20000", axes, their values
 * and bounds of metrics in order of preference; "" or null: the first variant of each name. Open files do not change.
 * Errors: malformed, limit. */
FARDEL_API fardel_code fardel_prefer(fardel_vfs* vfs, const char* preference, fardel_error* error);
/* The same for the names of one mount: it counts before that of the VFS. Errors: missing (the mount), malformed,
 * limit. */
FARDEL_API fardel_code fardel_prefer_in_mount(fardel_vfs* vfs, fardel_mount_id mount, const char* preference,
                                              fardel_error* error);
/* What the variants of all visible mounts differ by, in the form of a preference: all axes with all of their values,
 * and the metrics with their greatest value. `needed_bytes` and `buffer` are those of fardel_read_link. Errors: limit,
 * corrupt, malformed, io. */
FARDEL_API fardel_code fardel_variant_axes(const fardel_vfs* vfs, char* buffer, size_t size_bytes, size_t* needed_bytes,
                                           fardel_error* error);

typedef struct fardel_change {
    size_t struct_size;
    const char* path;   /* valid during the call */
    int32_t has_before; /* 1 if there was an asset: `before` */
    int32_t has_after;  /* 1 if there is one now: `after` */
    fardel_id before;
    fardel_id after;
} fardel_change;
/* Called once for each path whose asset changed. It must not call a function that changes the same VFS. */
typedef void (*fardel_changed)(void* context, const fardel_change* change);

/* Scans a mounted folder or archive again, hashes the files that changed, and reports the paths whose asset changed.
 * `changed` may be null. Waits for a running fardel_refresh or fardel_poll; delays no other function. Errors: missing
 * (the mount); unsupported (a bundle); conflict (something is writing there); those of fardel_mount_file. On an error
 * nothing changes. */
FARDEL_API fardel_code fardel_refresh(fardel_vfs* vfs, fardel_mount_id mount, fardel_changed changed, void* context,
                                      fardel_error* error);
/* The same for each folder that is mounted with FARDEL_MOUNT_WATCH and in which something changed, and for each bundle
 * file so mounted that another file has replaced; that is judged by the same options, and a bad one is an error once.
 * For a call once per frame. If nothing changed, it costs one system call per watched folder or file; if something did,
 * it returns when the changed files have been hashed. It never waits for another thread or program: files that are
 * being written, and everything during another thread's fardel_refresh or fardel_poll, are left to a later call. Files
 * that contradict each other, as two names that differ only in case, are a conflict, once after each change. */
FARDEL_API fardel_code fardel_poll(fardel_vfs* vfs, fardel_changed changed, void* context, fardel_error* error);

/* Puts other content into a mount, which keeps its number, position, mount point, priority and case rule. `changed` is
 * called as by fardel_poll. Errors: those of fardel_mount_file; missing (the mount). On an error nothing changes. */
FARDEL_API fardel_code fardel_replace(fardel_vfs* vfs, fardel_mount_id mount, const fardel_mount_request* request,
                                      fardel_changed changed, void* context, fardel_error* error);

/* Puts bundles in the position of others in one step, for a game that follows a project (fardel_fetch.h): a bundle that
 * changes, and those that it needs. The last of `mounts` keeps its number, position, mount point and case rule and gets
 * the content of the last reader; the others of `mounts` are unmounted, and the other readers are mounted directly
 * below it, in this order. `options` are those of all readers. Without mounts (`mount_count` 0), the readers are
 * mounted as by fardel_mount_reader, all in one step. `new_mounts`, which has room for `reader_count`, gets the numbers
 * in the order of the readers; it may be `mounts`, or null. Readers are taken over as by fardel_mount_reader, all of
 * them or, for FARDEL_ERROR_ARGUMENT, none. `changed`, which may be null, is called as by fardel_poll, and not for the
 * first mount. Errors: those of fardel_mount_reader; missing (a mount). On an error nothing changes. */
FARDEL_API fardel_code fardel_replace_readers(fardel_vfs* vfs, const fardel_mount_id* mounts, size_t mount_count,
                                              const fardel_reader* readers, size_t reader_count,
                                              const fardel_mount_options* options, fardel_mount_id* new_mounts,
                                              fardel_changed changed, void* context, fardel_error* error);

/* Pure mode: from now on only what the server's policy (its text) allows is visible. `problems` may be null; it is set
 * to the number of problems (0: the content set is whole and nothing had to be hidden). Errors: malformed, limit,
 * conflict, unsupported (the policy). */
FARDEL_API fardel_code fardel_enter_pure(fardel_vfs* vfs, const char* policy_text, size_t* problems,
                                         fardel_error* error);
FARDEL_API void fardel_leave_pure(fardel_vfs* vfs);

/* ---- What is at a path ------------------------------------------------------------------------------------------ */

typedef int32_t fardel_node;
enum {
    FARDEL_NODE_NONE = 0, /* the end of a listing */
    FARDEL_NODE_FOLDER = 1,
    FARDEL_NODE_FILE = 2,
    FARDEL_NODE_LINK = 3 /* a published name */
};

enum {
    FARDEL_STAT_ASSET = 1,   /* `asset` is set */
    FARDEL_STAT_BUNDLE = 2,  /* `bundle` is set */
    FARDEL_STAT_METADATA = 4 /* the bundle states something about the asset: fardel_read_metadata reads it */
};

/* Of a link: its target. */
typedef struct fardel_stat {
    size_t struct_size; /* sizeof(fardel_stat), set by the caller */
    uint64_t size_bytes;
    fardel_node node;
    uint32_t has; /* FARDEL_STAT_… */
    fardel_id asset;
    fardel_id bundle;
    char content_type[128]; /* "image/png"; cut when it is longer */
} fardel_stat;
#define FARDEL_STAT_INIT                                                 \
    {                                                                    \
        sizeof(fardel_stat), 0, FARDEL_NODE_NONE, 0, {{0}}, {{0}}, { 0 } \
    }

/* Reads no content. Errors: missing, corrupt, malformed, limit, io. */
FARDEL_API fardel_code fardel_stat_path(const fardel_vfs* vfs, const char* path, fardel_stat* stat,
                                        fardel_error* error);

/* 1 if there is a file, link or folder at the path, else 0; also 0 for null, for a malformed path, and if a damaged
 * mount decides about the path: fardel_stat_path distinguishes these cases. */
FARDEL_API int fardel_exists(const fardel_vfs* vfs, const char* path);

/* ---- Metadata --------------------------------------------------------------------------------------------------- */

typedef int32_t fardel_metadata_kind;
enum { FARDEL_METADATA_TEXT = 1, FARDEL_METADATA_NUMBER = 2, FARDEL_METADATA_INTEGER = 3, FARDEL_METADATA_BOOLEAN = 4 };

/* What is stated under one key. Pointers are valid during the call. */
typedef struct fardel_metadata {
    size_t struct_size;
    const char* key;  /* "licence", "origin", "metric.triangles": docs/bundle-format.md, "metadata" */
    const char* text; /* of a text; null: it is none */
    double number;    /* of a number or integer */
    int64_t integer;  /* of an integer (`expires`: Unix seconds), or 0 or 1 of a boolean */
    fardel_metadata_kind kind;
    int32_t of_bundle; /* 1: the asset states nothing under this key, and its bundle does */
} fardel_metadata;
/* It may call any function. */
typedef void (*fardel_metadata_found)(void* context, const fardel_metadata* metadata);

/* Reports what is stated about the asset at a path, or of "/bundles/<id>" about the bundle, in byte order of the keys.
 * `key`: only this one ("license" means "licence"); null: all. `found` may be null; `count`, which may be null, is set
 * to the number of entries: 0 if nothing is stated. What describes a bundle as a whole (name, version, requirements,
 * metrics) is not reported about its assets. Reads tables, and no content: also of an asset that has expired. Errors:
 * as fardel_stat_path; missing also for other folders. */
FARDEL_API fardel_code fardel_read_metadata(const fardel_vfs* vfs, const char* path, const char* key,
                                            fardel_metadata_found found, void* context, size_t* count,
                                            fardel_error* error);

/* ---- What is not here ------------------------------------------------------------------------------------------- */

/* Content of one bundle that is not here: the bundle is incomplete in a store, is read from servers, or not mounted. */
typedef struct fardel_missing_content {
    size_t struct_size;
    const fardel_id* assets; /* ascending; valid during the call */
    size_t asset_count;
    fardel_id bundle;
    int32_t is_mounted; /* 0: references lead into it, and it is not mounted */
} fardel_missing_content;
typedef void (*fardel_content_missing)(void* context, const fardel_missing_content* missing);

enum {
    /* Also everything that the assets refer to, as fardel_open_from resolves it. */
    FARDEL_MISSING_CLOSURES = 1
};

/* Reports which content has to be fetched before these paths can be read, once per bundle, in the order of the ids.
 * `missing` may be null; `asset_count`, which may be null, is set to the number of assets: 0 if all is here. What is
 * fetched later is found by the same mounts. Reads tables, and no content. Errors: missing (a path at which there is no
 * asset; nothing is reported then), limit, corrupt, malformed, io. */
FARDEL_API fardel_code fardel_find_missing(const fardel_vfs* vfs, const char* const* paths, size_t path_count,
                                           uint32_t flags, fardel_content_missing missing, void* context,
                                           size_t* asset_count, fardel_error* error);

/* "/assets/<id>" for a published name. `needed_bytes`, which may be null, is set to the size with NUL, also if
 * `size_bytes` is too small: that is a limit, and `buffer` (which may be null for 0) is unchanged. Errors: as
 * fardel_stat_path; missing also if it is not a link. */
FARDEL_API fardel_code fardel_read_link(const fardel_vfs* vfs, const char* path, char* buffer, size_t size_bytes,
                                        size_t* needed_bytes, fardel_error* error);

/* Writes the assets that were opened so far, in the order in which each was opened first, as the text of a trace and
 * NUL (docs/traces.md). Reads the names of the mounted bundles with such assets. `needed_bytes` and `buffer` are those
 * of fardel_read_link; what is opened meanwhile may make the text longer. Errors: unsupported (the VFS was created
 * without FARDEL_VFS_RECORDS_TRACE), limit. */
FARDEL_API fardel_code fardel_read_trace(const fardel_vfs* vfs, char* buffer, size_t size_bytes, size_t* needed_bytes,
                                         fardel_error* error);

/* Reads from the disk what the mounted bundles have of the assets that the trace lists, in its order and about 1 MiB at
 * a time, so that the system has it in memory when the game opens it. Call it on a thread of its own, which may be
 * needed for as long as the disk takes; unmounting the bundles ends it soon. Assets that are not mounted, or not here,
 * are left out; what cannot be read is no error. Errors: malformed and limit (the text). */
FARDEL_API fardel_code fardel_read_trace_ahead(const fardel_vfs* vfs, const char* trace, size_t size_bytes,
                                               fardel_error* error);

/* ---- Files ------------------------------------------------------------------------------------------------------ */

/* An asset. It has no position; any number of threads may read it, also after an unmount. */
typedef struct fardel_file fardel_file;

/* Follows links. `*file` is null after a failure. Errors: missing, corrupt, malformed, limit, io; denied (the content
 * is of a class that its signers may not bring: docs/trust-policy.md); expired (the asset's own metadata say so). */
FARDEL_API fardel_code fardel_open(const fardel_vfs* vfs, const char* path, fardel_file** file, fardel_error* error);
/* Opens the asset that `from` means by a reference in its content: searched in its own link table, its bundle, that
 * bundle's static dependencies, then the published names. Errors: those of fardel_open; unresolved. */
FARDEL_API fardel_code fardel_open_from(const fardel_vfs* vfs, const fardel_file* from, const char* reference,
                                        fardel_file** file, fardel_error* error);
/* The same for names as engines write them: opens the path as given, otherwise the first of its names with another of
 * the extensions, "tga,jpg,png", or at last without one, that exists. Each name is looked up in all mounts before the
 * next one is. If the path has one of the extensions, the others are tried in its stead. Errors: those of fardel_open
 * and fardel_open_from; malformed, limit (the extensions). */
FARDEL_API fardel_code fardel_open_any(const fardel_vfs* vfs, const char* path, const char* extensions,
                                       fardel_file** file, fardel_error* error);
FARDEL_API fardel_code fardel_open_any_from(const fardel_vfs* vfs, const fardel_file* from, const char* reference,
                                            const char* extensions, fardel_file** file, fardel_error* error);
/* Null is allowed. */
FARDEL_API void fardel_close(fardel_file* file);
/* Returns 0 for null. */
FARDEL_API uint64_t fardel_file_size(const fardel_file* file);
/* Returns zeros for null. */
FARDEL_API fardel_id fardel_file_asset(const fardel_file* file);
FARDEL_API fardel_id fardel_file_bundle(const fardel_file* file);
/* Reads up to `size_bytes` at `offset` and sets `*read_bytes` to the number read: fewer only at the end, 0 at or behind
 * it and after a failure. Each byte is verified. `buffer` may be null for 0 bytes. Errors: corrupt, malformed, io. */
FARDEL_API fardel_code fardel_read_at(const fardel_file* file, uint64_t offset, void* buffer, size_t size_bytes,
                                      size_t* read_bytes, fardel_error* error);

/* Reads the whole asset. `size_bytes` has to be exactly fardel_file_size(file): another size is a limit, and `buffer`
 * is unchanged. Otherwise as fardel_read_at. */
FARDEL_API fardel_code fardel_read_all(const fardel_file* file, void* buffer, size_t size_bytes, fardel_error* error);

/* Receives one file of a batch: its index in the list, and its bytes, which are valid during the call. `code` is that
 * of fardel_open or fardel_read_all; after a failure there are no bytes, and `text` says why. Returns 0 to go on,
 * anything else to stop. */
typedef int32_t (*fardel_file_read)(void* context, size_t index, const void* bytes, size_t size_bytes, fardel_code code,
                                    const char* text);

enum {
    FARDEL_BATCH_IN_ORDER = 1 /* files are received in the order of the list; otherwise as they are ready */
};

typedef struct fardel_batch_options {
    size_t struct_size; /* sizeof(fardel_batch_options) */
    /* Bounds the bytes of files that are read and not yet received, with the memory that is kept for the next ones. A
     * larger file is read when no other one is held; 0: one file after the other. */
    uint64_t bytes_max;
    const char* extensions; /* as for fardel_open_any, for all paths; null: none */
    uint32_t flags;         /* FARDEL_BATCH_… */
} fardel_batch_options;
#define FARDEL_BATCH_OPTIONS_INIT \
    { sizeof(fardel_batch_options), UINT64_C(64) << 20, NULL, 0 }

/* Opens these paths and reads their whole files: what a level needs, in one call. Reads go through each bundle's file
 * from front to back, on this thread and on those that the VFS has for reads. `read` is called on this thread, once per
 * path; while it works, the other threads read on. `options` may be null. Errors: argument, cancelled (`read` stopped
 * it), no_memory, unsupported (the flags); malformed, limit (the extensions). The error of one file goes to
 * `read` alone. */
FARDEL_API fardel_code fardel_read_files(const fardel_vfs* vfs, const char* const* paths, size_t path_count,
                                         const fardel_batch_options* options, fardel_file_read read, void* context,
                                         fardel_error* error);

/* ---- Listings --------------------------------------------------------------------------------------------------- */

/* The entries of one folder in the order of their bytes, from the mounts as they were when it was opened. */
typedef struct fardel_listing fardel_listing;

typedef struct fardel_entry {
    size_t struct_size; /* sizeof(fardel_entry), set by the caller */
    fardel_node node;   /* FARDEL_NODE_NONE after the last */
    char name[256];     /* one part of a path; no part is longer */
} fardel_entry;
#define FARDEL_ENTRY_INIT                             \
    {                                                 \
        sizeof(fardel_entry), FARDEL_NODE_NONE, { 0 } \
    }

/* `*listing` is null after a failure. Errors: as fardel_stat_path; missing also if it is not a folder. */
FARDEL_API fardel_code fardel_listing_open(const fardel_vfs* vfs, const char* path, fardel_listing** listing,
                                           fardel_error* error);
/* Errors: corrupt, malformed, io; after one, the listing has ended. */
FARDEL_API fardel_code fardel_listing_next(fardel_listing* listing, fardel_entry* entry, fardel_error* error);
/* Null is allowed. */
FARDEL_API void fardel_listing_close(fardel_listing* listing);

/* ---- Streams and views ------------------------------------------------------------------------------------------ */

/* A file with a position, for code that reads in small pieces: it keeps one piece (up to 256 KiB) and has the system
 * fetch the next ones. One thread at a time. */
typedef struct fardel_stream fardel_stream;

/* The file may be closed while the stream is used. `*stream` is null after a failure. */
FARDEL_API fardel_code fardel_stream_open(const fardel_file* file, fardel_stream** stream, fardel_error* error);
/* As fardel_read_at; moves the position by the number of bytes read, and not at all after an error. */
FARDEL_API fardel_code fardel_stream_read(fardel_stream* stream, void* buffer, size_t size_bytes, size_t* read_bytes,
                                          fardel_error* error);
/* Any position; at or behind the end, reads give 0 bytes. Does nothing for null. */
FARDEL_API void fardel_stream_seek(fardel_stream* stream, uint64_t position);
/* Returns 0 for null. */
FARDEL_API uint64_t fardel_stream_position(const fardel_stream* stream);
/* Null is allowed. */
FARDEL_API void fardel_stream_close(fardel_stream* stream);

/* Bytes of a bundle's file in memory, without a copy. They matched their hashes when the view was made; after that they
 * are the file's: a program that writes to the file changes them, and one that truncates it makes touching them fatal.
 * Only for bundles that no other program writes. */
typedef struct fardel_view fardel_view;

/* `*view` is null after a failure. Errors: unsupported (the bytes are compressed, or not in a file or memory: read them
 * instead), limit (not all in the file, or no bytes), corrupt, malformed, io. */
FARDEL_API fardel_code fardel_view_open(const fardel_file* file, uint64_t offset, size_t size_bytes, fardel_view** view,
                                        fardel_error* error);
/* Valid until the view is closed, whatever becomes of the file, the mount and the VFS. Null and 0 for null. */
FARDEL_API const void* fardel_view_bytes(const fardel_view* view);
FARDEL_API size_t fardel_view_size(const fardel_view* view);
/* Null is allowed. */
FARDEL_API void fardel_view_close(fardel_view* view);

/* ---- Reads in the background ------------------------------------------------------------------------------------ */

/* Reads on threads of its own, by priority. Reads of one bundle are done in the order of its file, blocks that several
 * need are decoded once, and the system fetches ahead. Any thread may use it. */
typedef struct fardel_queue fardel_queue;

/* Unique within its queue, never 0. */
typedef uint64_t fardel_read_id;

/* Called once per read, by a thread of the queue or by the one that cancels it or closes the queue. `code` is that of
 * fardel_read_at or FARDEL_ERROR_CANCELLED; `text` is "" or one sentence, valid during the call. It must not wait for
 * other reads; it may submit more. */
typedef void (*fardel_read_done)(void* context, fardel_read_id read, fardel_code code, size_t read_bytes,
                                 const char* text);

typedef struct fardel_read_request {
    size_t struct_size;      /* sizeof(fardel_read_request) */
    const fardel_file* file; /* may be closed as soon as the read is submitted */
    uint64_t offset;
    void* buffer; /* belongs to the queue until `done` is called */
    size_t size_bytes;
    fardel_read_done done;
    void* context;    /* passed to it */
    int32_t priority; /* higher is sooner */
} fardel_read_request;
#define FARDEL_READ_REQUEST_INIT \
    { sizeof(fardel_read_request), NULL, 0, NULL, 0, NULL, NULL, 0 }

/* Starts 1 to 64 threads, or as many of them as the system gives. `*queue` is null after a failure. Error: busy (it
 * gives none). */
FARDEL_API fardel_code fardel_queue_start(uint32_t threads, fardel_queue** queue, fardel_error* error);
/* Submits all requests at once, so that they are sorted before the first one is read. `reads`, which may be null, gets
 * their numbers, also if a read has ended meanwhile. Errors: argument (nothing is submitted then), no_memory (some may
 * be; their `done` is called with the number 0). */
FARDEL_API fardel_code fardel_queue_submit(fardel_queue* queue, const fardel_read_request* const* requests,
                                           size_t request_count, fardel_read_id* reads, fardel_error* error);
/* 1: the read was waiting, and `done` has been called with FARDEL_ERROR_CANCELLED. 0: it is running or has ended. */
FARDEL_API int fardel_queue_cancel(fardel_queue* queue, fardel_read_id read);
/* Returns when no read is waiting or running. */
FARDEL_API void fardel_queue_wait(fardel_queue* queue);
/* Cancels waiting reads and finishes running ones. Not in a `done`. Null is allowed. */
FARDEL_API void fardel_queue_close(fardel_queue* queue);

/* ---- What is mounted, and why a path leads where it does --------------------------------------------------------- */
/*
 * Pointers in these structs are valid during the call that brings them. Texts come from bundles and may contain
 * anything but NUL, unless it is said that they are safe to print.
 */

typedef int32_t fardel_mount_kind;
enum {
    FARDEL_MOUNTED_BUNDLE = 0,
    FARDEL_MOUNTED_FOLDER = 1,
    FARDEL_MOUNTED_ARCHIVE = 2,
    FARDEL_MOUNTED_PLAN = 3,
    FARDEL_MOUNTED_PROJECT = 4
};

enum {
    FARDEL_MOUNTED_TAINTED = 1,   /* no policy vouches for it */
    FARDEL_MOUNTED_HIDDEN = 2,    /* by pure mode, or FARDEL_MOUNT_PURE_ONLY */
    FARDEL_MOUNTED_FOLDS_CASE = 4 /* FARDEL_MOUNT_FOLD_CASE */
};

typedef struct fardel_mount_description {
    size_t struct_size;
    const char* label;
    const char* place;          /* the mount point; "": the root */
    const char* recall;         /* why fardel_judge_again withdrew it; null: it did not */
    const char* const* signers; /* labels of the policy's keys that counted */
    size_t signer_count;
    size_t missing_count;  /* of its dependencies, see fardel_missing_dependencies */
    size_t left_out_count; /* files of a folder or archive that nobody meant to leave out */
    const char* left_out;  /* the first of them and why, safe to print; null: none */
    fardel_id bundle;
    fardel_id layout;
    fardel_mount_id mount;
    int32_t priority;
    fardel_mount_kind kind;
    uint32_t flags; /* FARDEL_MOUNTED_… */
} fardel_mount_description;
typedef void (*fardel_mount_listed)(void* context, const fardel_mount_description* mount);

/* Reports the mounts in order of precedence; those that pure mode hides come last. `listed` and `count` may be null. */
FARDEL_API fardel_code fardel_mounts(const fardel_vfs* vfs, fardel_mount_listed listed, void* context, size_t* count,
                                     fardel_error* error);

/* A mount that has the path's name or asset. */
typedef struct fardel_candidate {
    size_t struct_size;
    const fardel_mount_description* mount;
    const char* outcome; /* why it won or did not: a sentence, safe to print */
    const char* name;    /* as the bundle spells it; "" for "/assets/<id>" */
    const char* variant; /* tags of the one that `asset` is, "lang=fr quality=hd"; "": it has none */
    const char* damage;  /* why its tables or content could not be used; null: they could */
    uint64_t size_bytes;
    fardel_id asset;
    int32_t has_asset;
    uint32_t variants; /* of the name in this mount */
} fardel_candidate;

typedef struct fardel_explanation {
    size_t struct_size;
    const char* path;                          /* with its leading '/' */
    const fardel_candidate* const* candidates; /* in order of precedence */
    size_t candidate_count;
    const fardel_candidate* winner; /* whose asset fardel_open gives; null: it fails */
    const char* other_case;         /* if nothing is there: a path of which only the case differs; "": none */
    const char* const* tried;       /* other paths with extensions that were looked up and gave no asset */
    size_t tried_count;
    int32_t is_folder; /* a listing shows something there */
} fardel_explanation;
typedef void (*fardel_explained)(void* context, const fardel_explanation* explanation);

/* Says what fardel_open, or with `extensions` fardel_open_any, considers at a path and how it decides. Calls
 * `explained` once. Errors: malformed, limit (the path, the extensions). */
FARDEL_API fardel_code fardel_explain(const fardel_vfs* vfs, const char* path, const char* extensions,
                                      fardel_explained explained, void* context, fardel_error* error);

/* What one mount has at a path. */
typedef struct fardel_conflict_side {
    fardel_mount_id mount;
    int32_t has_asset; /* 0: a tombstone, which hides the name */
    fardel_id asset;
} fardel_conflict_side;

typedef struct fardel_conflict {
    size_t struct_size;
    const char* path;
    const fardel_conflict_side* sides; /* in order of precedence: the first one wins */
    size_t side_count;                 /* at least 2 */
    int32_t is_harmless;               /* all sides have the same asset */
} fardel_conflict;
typedef void (*fardel_conflict_found)(void* context, const fardel_conflict* conflict);

/* Reports every path that several mounts publish or hide, sorted by path. Reads all names of all mounts, so it is for
 * tools and start-up checks. `found` and `count` may be null. Errors: limit (more than 1,048,576), corrupt, malformed,
 * io. */
FARDEL_API fardel_code fardel_conflicts(const fardel_vfs* vfs, fardel_conflict_found found, void* context,
                                        size_t* count, fardel_error* error);

typedef int32_t fardel_need_kind;
enum {
    FARDEL_NEED_NAME = 0,       /* `name`, from the root of the published tree; or a glob */
    FARDEL_NEED_BUNDLE = 1,     /* `bundle`; `name` and `version` are what the dependant calls it */
    FARDEL_NEED_REQUIREMENT = 2 /* `name` is "studio/base >= 1.0", `reason` why what is mounted does not do */
};
enum {
    FARDEL_NEED_PATTERN = 1,  /* `name` is a glob */
    FARDEL_NEED_OPTIONAL = 2, /* the dependant does without it */
    FARDEL_NEED_STATIC = 4    /* a static dependency */
};

/* What a mounted bundle needs and nothing provides. */
typedef struct fardel_unresolved_need {
    size_t struct_size;
    const char* name;
    const char* version; /* "" if it has none */
    const char* reason;
    fardel_id bundle;      /* all zero unless it is a bundle that is needed */
    fardel_mount_id mount; /* of the dependant */
    fardel_need_kind kind;
    uint32_t flags; /* FARDEL_NEED_… */
} fardel_unresolved_need;
typedef void (*fardel_unresolved)(void* context, const fardel_unresolved_need* need);

/* Reports every name, bundle and requirement that a mounted bundle needs and nothing provides. `found` and
 * `is_complete` may be null; the latter is set to 1 if nothing is missing that is required, else 0. Errors: as
 * fardel_conflicts. */
FARDEL_API fardel_code fardel_check_links(const fardel_vfs* vfs, fardel_unresolved found, void* context,
                                          int32_t* is_complete, fardel_error* error);

/* What a VFS has read since it was created; all zero without a cache. */
typedef struct fardel_figures {
    size_t struct_size;
    uint64_t cached_bytes; /* in the cache now */
    uint64_t hits;         /* blocks that the cache had */
    uint64_t misses;
    uint64_t decoded_bytes; /* of blocks that were read from their bundles */
    uint64_t stalls;        /* of these blocks, those for which a reader waited longer than 4 ms */
} fardel_figures;
#define FARDEL_FIGURES_INIT \
    { sizeof(fardel_figures), 0, 0, 0, 0, 0 }
FARDEL_API fardel_code fardel_read_figures(const fardel_vfs* vfs, fardel_figures* figures, fardel_error* error);

/* ---- A place to write ------------------------------------------------------------------------------------------- */

/* A folder of the disk that belongs to the game: saved games, settings, screenshots. It is no part of a VFS: content
 * never hides a file in it, and it hides no content, also in pure mode. docs/saves.md describes names, quota and what
 * survives a crash. */
typedef struct fardel_writable fardel_writable;

/* Opens the folder at a path of the system; creates it if it is missing. The quota counts the sizes of all files, and
 * files and folders, whoever wrote them and when; 0: 1 GiB, and 10,000. `*folder` is null after a failure. Errors:
 * missing, denied, no_space, io. */
FARDEL_API fardel_code fardel_writable_open(const char* path, uint64_t bytes_max, uint32_t files_max,
                                            fardel_writable** folder, fardel_error* error);
/* Null is allowed. */
FARDEL_API void fardel_writable_close(fardel_writable* folder);
/* Replaces the file as a whole, or on an error leaves it as it was. Folders are created as the name needs them. Errors:
 * malformed, limit (the name); conflict (a folder has this name, or another name is the same on Windows or macOS);
 * denied (a link or a device); no_space (the quota, or the disk); busy (another program writes for long); io. */
FARDEL_API fardel_code fardel_writable_write(fardel_writable* folder, const char* name, const void* bytes,
                                             size_t size_bytes, fardel_error* error);
/* Reads the whole file. `needed_bytes`, which may be null, is set to its size, also if `size_bytes` is too small: that
 * is a limit, and `buffer` (which may be null for 0) is unchanged. Errors: missing, malformed, limit, denied, io. */
FARDEL_API fardel_code fardel_writable_read(const fardel_writable* folder, const char* name, void* buffer,
                                            size_t size_bytes, size_t* needed_bytes, fardel_error* error);

typedef struct fardel_writable_entry {
    size_t struct_size;
    const char* name;    /* its last part; valid during the call */
    uint64_t size_bytes; /* 0 for a folder */
    uint64_t modified_s; /* Unix seconds */
    int32_t is_folder;
} fardel_writable_entry;
typedef void (*fardel_writable_found)(void* context, const fardel_writable_entry* entry);

/* Reports the file or folder of that name, which may be none; `found` is not called then. Errors: malformed, limit,
 * denied, io. */
FARDEL_API fardel_code fardel_writable_stat(const fardel_writable* folder, const char* name,
                                            fardel_writable_found found, void* context, fardel_error* error);
/* Reports what is in a folder of it, "" or null: the whole, by the bytes of the names; nothing if there is no such
 * folder. Errors: as fardel_writable_stat. */
FARDEL_API fardel_code fardel_writable_list(const fardel_writable* folder, const char* name,
                                            fardel_writable_found found, void* context, fardel_error* error);
/* Removes a file, and the folders that have lost their last one. `removed`, which may be null, is set to 0 if there was
 * none, else 1. Errors: as fardel_writable_stat; conflict (a folder with files), busy. */
FARDEL_API fardel_code fardel_writable_remove(fardel_writable* folder, const char* name, int32_t* removed,
                                              fardel_error* error);
/* What counts for the quota. Each pointer may be null. Errors: denied, io. */
FARDEL_API fardel_code fardel_writable_use(const fardel_writable* folder, uint64_t* bytes, uint64_t* files,
                                           fardel_error* error);

/* A file that is written in parts. One thread at a time. */
typedef struct fardel_writable_file fardel_writable_file;

/* `*file` is null after a failure. Errors: as fardel_writable_write. */
FARDEL_API fardel_code fardel_writable_create(fardel_writable* folder, const char* name, fardel_writable_file** file,
                                              fardel_error* error);
/* Errors: no_space, io; nothing can be committed then. */
FARDEL_API fardel_code fardel_writable_append(fardel_writable_file* file, const void* bytes, size_t size_bytes,
                                              fardel_error* error);
/* Replaces the file of that name. Call it once. Errors: as fardel_writable_write. */
FARDEL_API fardel_code fardel_writable_commit(fardel_writable_file* file, fardel_error* error);
/* Also discards what was not committed. Null is allowed. */
FARDEL_API void fardel_writable_file_close(fardel_writable_file* file);

/* Writes where the system keeps a user's data of a game, "~/.local/share/<organisation>/<game>", and NUL; creates
 * nothing. `buffer` and `needed_bytes` are those of fardel_read_link. Errors: malformed, limit; missing (the user has
 * no home). */
FARDEL_API fardel_code fardel_user_data_folder(const char* organisation, const char* game, char* buffer,
                                               size_t size_bytes, size_t* needed_bytes, fardel_error* error);

/* ---- Structs for callers without macros -------------------------------------------------------------------------- */
/*
 * Each does what the …_INIT macro of its struct does, for languages that have no macros of C. `struct_size` is the size
 * of the struct as the caller knows it.
 */

FARDEL_API void fardel_error_init(fardel_error* error, size_t struct_size);
FARDEL_API void fardel_reader_init(fardel_reader* reader, size_t struct_size);
FARDEL_API void fardel_allocator_init(fardel_allocator* allocator, size_t struct_size);
FARDEL_API void fardel_executor_init(fardel_executor* executor, size_t struct_size);
FARDEL_API void fardel_vfs_options_init(fardel_vfs_options* options, size_t struct_size);
FARDEL_API void fardel_mount_options_init(fardel_mount_options* options, size_t struct_size);
FARDEL_API void fardel_mount_request_init(fardel_mount_request* request, size_t struct_size);
FARDEL_API void fardel_mount_change_init(fardel_mount_change* change, size_t struct_size);
FARDEL_API void fardel_stat_init(fardel_stat* stat, size_t struct_size);
FARDEL_API void fardel_entry_init(fardel_entry* entry, size_t struct_size);
FARDEL_API void fardel_batch_options_init(fardel_batch_options* options, size_t struct_size);
FARDEL_API void fardel_read_request_init(fardel_read_request* request, size_t struct_size);
FARDEL_API void fardel_figures_init(fardel_figures* figures, size_t struct_size);

#ifdef __cplusplus
}
#endif

#endif
