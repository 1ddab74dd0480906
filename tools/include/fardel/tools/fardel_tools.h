/* fardel_tools.h: for tools in C and in languages that call C: writes bundles from memory, packs folders and projects,
 * signs, and verifies.
 *
 * It is in a library of its own, libfardel-c-tools.so, so that a game does not carry the packer. docs/c-api.md
 * describes the rules for handles, structs and errors. No exception leaves the library, and it keeps nothing per thread
 * or per process. Functions may be called from any thread at any time; one thread at a time may use a handle. Callbacks
 * run on the thread that made the call unless their comment says otherwise, and their pointers are valid during the
 * call.
 */
#ifndef FARDEL_TOOLS_FARDEL_TOOLS_H
#define FARDEL_TOOLS_FARDEL_TOOLS_H

#include <fardel/vfs/fardel.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Keys and signers ------------------------------------------------------------------------------------------- */

typedef struct fardel_public_key {
    uint8_t bytes[32]; /* Ed25519 */
} fardel_public_key;

/* A key that signs. */
typedef struct fardel_signer fardel_signer;

/* Creates a key pair: the secret key's file at `path` (mode 0600) and the public key's at `path` with ".pub" behind it.
 * `passphrase` null: the secret key is not encrypted. `comment` and `key` may be null. Errors: conflict (one of the
 * files exists; nothing is changed), malformed (an empty passphrase), denied, missing, no_space, io. */
FARDEL_API fardel_code fardel_key_create(const char* path, const char* passphrase, const char* comment,
                                         fardel_public_key* key, fardel_error* error);
/* Reads a secret key file of Fardel or minisign. `passphrase` may be null if the key is not encrypted. `*signer` is
 * null after a failure. Errors: missing, denied (readable by others, a wrong passphrase or none), malformed,
 * unsupported, corrupt, limit, io. */
FARDEL_API fardel_code fardel_signer_open(const char* path, const char* passphrase, fardel_signer** signer,
                                          fardel_error* error);
/* Fills in the 64 bytes of the signature of a message; any code but FARDEL_OK is passed on. */
typedef fardel_code (*fardel_sign_message)(void* context, const void* message, size_t size_bytes,
                                           uint8_t signature[64]);
/* A signer whose key is elsewhere: in a token, an agent, a service. Each signature is verified under `key`: a wrong one
 * is corrupt. Errors: argument. */
FARDEL_API fardel_code fardel_signer_create(const fardel_public_key* key, fardel_sign_message sign, void* context,
                                            fardel_signer** signer, fardel_error* error);
/* Returns zeros for null. */
FARDEL_API fardel_public_key fardel_signer_key(const fardel_signer* signer);
/* Null is allowed. */
FARDEL_API void fardel_signer_close(fardel_signer* signer);

/* What an author states besides the bundle. */
typedef struct fardel_sign_options {
    size_t struct_size;  /* sizeof(fardel_sign_options) */
    const char* channel; /* for which the bundle is meant; or null */
    const char* comment; /* for people; or null */
    uint64_t epoch;      /* grows from one release to the next; 0: none */
    uint64_t created_s;  /* Unix seconds; 0: the system's clock */
    uint64_t expires_s;  /* Unix seconds; 0: never */
} fardel_sign_options;
#define FARDEL_SIGN_OPTIONS_INIT \
    { sizeof(fardel_sign_options), NULL, NULL, 0, 0, 0 }
FARDEL_API void fardel_sign_options_init(fardel_sign_options* options, size_t struct_size);

/* Verifies the whole bundle file, and appends its author's signature; nothing else in the file changes. `options` may
 * be null. Errors: conflict (this key has signed exactly this already), unresolved (the bundle has no name), expired,
 * limit (too many signatures), those of the signer and of fardel_verify_file, denied, no_space, io. After an error, the
 * file is unchanged. */
FARDEL_API fardel_code fardel_sign_file(const char* path, fardel_signer* signer, const fardel_sign_options* options,
                                        fardel_error* error);

/* ---- What was written ------------------------------------------------------------------------------------------- */

typedef struct fardel_written_bundle {
    size_t struct_size;
    fardel_id bundle;
    fardel_id layout;
    const char* path; /* of the file */
    const char* name; /* "" if it has none; safe to print */
    const char* version;
    uint64_t assets; /* different ones */
    uint64_t names;
    uint64_t raw_bytes;    /* of the assets */
    uint64_t stored_bytes; /* of the blocks */
    uint64_t file_bytes;
    int32_t is_signed;
} fardel_written_bundle;
typedef void (*fardel_bundle_written)(void* context, const fardel_written_bundle* written);

/* Returns 0 to go on; anything else ends the call with FARDEL_ERROR_CANCELLED, unless all is done already. `stage`:
 * "hashing", "processing" and "packing" count files, "verifying" counts bytes. Called by any thread, one at a time. */
typedef int32_t (*fardel_tool_progress)(void* context, const char* stage, uint64_t done, uint64_t total);

/* ---- Writing a bundle from memory ------------------------------------------------------------------------------- */

/* The content of a new bundle: assets, names, references, dependencies, metadata. The order in which they are added has
 * no effect, except that the first variant of a name is its default. */
typedef struct fardel_plan fardel_plan;

/* Instead of an asset's number: no asset, or the bundle itself. */
#define FARDEL_NO_ASSET UINT32_C(0xffffffff)

FARDEL_API fardel_code fardel_plan_create(fardel_plan** plan, fardel_error* error);
/* Null is allowed. */
FARDEL_API void fardel_plan_destroy(fardel_plan* plan);

enum {
    FARDEL_ASSET_STREAMED = 1 /* read from any position in small pieces: music, video */
};

typedef struct fardel_planned_asset {
    size_t struct_size;       /* sizeof(fardel_planned_asset) */
    const void* bytes;        /* copied; may be null if `path` is not */
    size_t size_bytes;        /* of `bytes` */
    const char* path;         /* of a file that is read when the bundle is written; or null */
    const char* key;          /* names the asset in messages and orders its bytes; unique; null: its number */
    const char* content_type; /* "image/png"; null: "application/octet-stream" */
    uint32_t flags;           /* FARDEL_ASSET_… */
} fardel_planned_asset;
#define FARDEL_PLANNED_ASSET_INIT \
    { sizeof(fardel_planned_asset), NULL, 0, NULL, NULL, NULL, 0 }
FARDEL_API void fardel_planned_asset_init(fardel_planned_asset* asset, size_t struct_size);

/* Equal bytes are stored once. `number` gets the asset's number in this plan: 0, 1, 2 … It may be null. */
FARDEL_API fardel_code fardel_plan_add_asset(fardel_plan* plan, const fardel_planned_asset* asset, uint32_t* number,
                                             fardel_error* error);

enum {
    FARDEL_NAME_PRIVATE = 1, /* visible inside the bundle only */
    FARDEL_NAME_EXTENDS = 2  /* adds variants to a name that another bundle publishes */
};

/* Gives an asset a name. Another call with the same name adds a variant, whose tags differ. `tags`: "lang=fr
 * quality=hd"; null: none. `asset` FARDEL_NO_ASSET: the name is a tombstone, which hides it in the bundles below.
 * Errors: malformed, limit (the name, a tag, the number). */
FARDEL_API fardel_code fardel_plan_add_name(fardel_plan* plan, const char* name, uint32_t asset, const char* tags,
                                            uint32_t flags, fardel_error* error);

enum { FARDEL_REFERENCE_OPTIONAL = 1 };

/* What a spelling in the bytes of an asset means: an asset of this plan; or, with `bundle`, an asset of a static
 * dependency; or, with `name`, whatever is published under that name when the game runs. */
typedef struct fardel_planned_reference {
    size_t struct_size; /* sizeof(fardel_planned_reference) */
    const char* spelling;
    const char* name;        /* or null */
    const fardel_id* bundle; /* or null */
    fardel_id foreign;       /* of `bundle` */
    uint32_t asset;          /* of this plan */
    uint32_t flags;          /* FARDEL_REFERENCE_… */
} fardel_planned_reference;
#define FARDEL_PLANNED_REFERENCE_INIT \
    { sizeof(fardel_planned_reference), NULL, NULL, NULL, {{0}}, FARDEL_NO_ASSET, 0 }
FARDEL_API void fardel_planned_reference_init(fardel_planned_reference* reference, size_t struct_size);

/* Errors: malformed (exactly one target is needed), limit (the number), missing (`bundle` is no static dependency of
 * the plan yet). */
FARDEL_API fardel_code fardel_plan_add_reference(fardel_plan* plan, uint32_t from,
                                                 const fardel_planned_reference* reference, fardel_error* error);

enum {
    FARDEL_CONSUME_PATTERN = 1, /* the text is a glob */
    FARDEL_CONSUME_OPTIONAL = 2
};
/* A name, or with FARDEL_CONSUME_PATTERN a glob, that other bundles have to publish. */
FARDEL_API fardel_code fardel_plan_add_consume(fardel_plan* plan, const char* name, uint32_t flags,
                                               fardel_error* error);
/* Name and version, for people, may be null. `is_static` other than 0: references into it are by id. */
FARDEL_API fardel_code fardel_plan_add_dependency(fardel_plan* plan, const fardel_id* bundle, const char* name,
                                                  const char* version, int32_t is_static, fardel_error* error);

/* Metadata of an asset, or with FARDEL_NO_ASSET of the bundle: "name", "version", "licence", "origin", "expires" (Unix
 * seconds), "metric.triangles". The text sets a number, an integer or a Boolean in the other functions. Errors: limit
 * (the asset's number). */
FARDEL_API fardel_code fardel_plan_set_text(fardel_plan* plan, uint32_t asset, const char* key, const char* text,
                                            fardel_error* error);
FARDEL_API fardel_code fardel_plan_set_number(fardel_plan* plan, uint32_t asset, const char* key, double number,
                                              fardel_error* error);
FARDEL_API fardel_code fardel_plan_set_integer(fardel_plan* plan, uint32_t asset, const char* key, int64_t integer,
                                               fardel_error* error);
FARDEL_API fardel_code fardel_plan_set_flag(fardel_plan* plan, uint32_t asset, const char* key, int32_t flag,
                                            fardel_error* error);

/* What the file is made for; the bundle's id is the same for all. */
typedef int32_t fardel_purpose;
enum {
    FARDEL_FOR_BALANCED = 0, /* zstd at a level; where a project is packed without one, what the project says */
    FARDEL_FOR_LOAD = 1,     /* LZ4, which decodes three times as fast and is a seventh larger */
    FARDEL_FOR_SIZE = 2      /* zstd at its highest level */
};

typedef struct fardel_write_options {
    size_t struct_size;              /* sizeof(fardel_write_options) */
    fardel_signer* signer;           /* signs as the author; null: the bundle stays unsigned */
    const fardel_sign_options* sign; /* or null */
    fardel_bundle_written written;   /* called once, when the file is there; or null */
    fardel_tool_progress progress;   /* or null */
    void* context;                   /* passed to both */
    int32_t level;                   /* of FARDEL_FOR_BALANCED, 1 to 19; 0: 9 */
    uint32_t jobs;                   /* threads; 0: one per core */
    fardel_purpose purpose;
} fardel_write_options;
#define FARDEL_WRITE_OPTIONS_INIT \
    { sizeof(fardel_write_options), NULL, NULL, NULL, NULL, NULL, 0, 0, FARDEL_FOR_BALANCED }
FARDEL_API void fardel_write_options_init(fardel_write_options* options, size_t struct_size);

/* Writes the bundle; it replaces the file at `path` in one step, last. The plan stays as it is. `options` may be null.
 * The same plan, purpose, level and libraries give the same bytes on any machine. Errors: malformed (the plan
 * contradicts itself), limit, conflict (a file changed), missing, denied, no_space, io, cancelled, those of the signer.
 * After an error, nothing has changed at `path`. */
FARDEL_API fardel_code fardel_plan_write(const fardel_plan* plan, const char* path, const fardel_write_options* options,
                                         fardel_error* error);

/* ---- Packing folders, archives and projects --------------------------------------------------------------------- */

typedef int32_t fardel_severity;
enum { FARDEL_SEVERITY_ERROR = 0, FARDEL_SEVERITY_WARNING = 1, FARDEL_SEVERITY_NOTE = 2 };

/* One sentence about a file that is not packed as it was meant, about a reference that leads nowhere, a rule without
 * effect, the output of a program. */
typedef void (*fardel_pack_message)(void* context, fardel_severity severity, const char* text);

enum {
    FARDEL_PACK_STRICT = 1,      /* a file that nobody meant to leave out is an error */
    FARDEL_PACK_FROM_SCRATCH = 2 /* a project: nothing of earlier builds is used */
};

/* Texts and lists that are null come from the project; without a project, `output` is needed. */
typedef struct fardel_pack_options {
    size_t struct_size; /* sizeof(fardel_pack_options) */
    const char* output; /* path of the bundle */
    const char* name;
    const char* version;
    const char* const* excludes; /* globs, in addition to the project's */
    size_t exclude_count;
    const char* const* requirements; /* a project's: "studio/base >= 1.0" */
    size_t requirement_count;
    fardel_signer* signer;         /* signs as the author; null: a project's own key file if it is not encrypted */
    fardel_bundle_written written; /* called for each bundle, each after those that it needs; or null */
    fardel_pack_message message;   /* or null */
    fardel_tool_progress progress; /* or null */
    void* context;                 /* passed to all three */
    uint64_t created_s;            /* in signatures, Unix seconds; 0: the system's clock */
    int32_t level;                 /* of FARDEL_FOR_BALANCED, 1 to 19; 0: 9 */
    uint32_t jobs;                 /* threads; 0: one per core */
    uint32_t flags;                /* FARDEL_PACK_… */
    fardel_purpose purpose;
    const char* target; /* of a project with several, the one that is built; null: the only one */
} fardel_pack_options;
#define FARDEL_PACK_OPTIONS_INIT                                                                                   \
    {                                                                                                              \
        sizeof(fardel_pack_options), NULL, NULL, NULL, NULL, 0, NULL, 0, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, \
            FARDEL_FOR_BALANCED, NULL                                                                              \
    }
FARDEL_API void fardel_pack_options_init(fardel_pack_options* options, size_t struct_size);

/* Packs folders and legacy archives; of equal names, that of the later source. Errors: missing, unresolved (nothing to
 * pack; with FARDEL_PACK_STRICT a file that is left out), malformed, limit, conflict (a source changed), denied,
 * no_space, cancelled, io, those of the signer. */
FARDEL_API fardel_code fardel_pack_sources(const char* const* sources, size_t source_count,
                                           const fardel_pack_options* options, fardel_error* error);
/* Builds the project of a fardel.toml (docs/builds.md), and repeats only what has changed. `options` may be null.
 * Errors: the same; busy (another build of the project runs), unsupported. */
FARDEL_API fardel_code fardel_pack_project(const char* project_file, const fardel_pack_options* options,
                                           fardel_error* error);

/* Development: fardel_mount_file, and fardel_apply with a path, mount a fardel.toml from now on as the bundle that
 * fardel_pack_project would write, with FARDEL_MOUNT_ALLOW_UNSIGNED; jobs run as in a build. With FARDEL_MOUNT_WATCH,
 * fardel_poll follows its edits. Call it once for a VFS. Errors: argument, no_memory. */
FARDEL_API fardel_code fardel_enable_projects(fardel_vfs* vfs, fardel_error* error);

/* ---- Verifying -------------------------------------------------------------------------------------------------- */

typedef struct fardel_finding {
    size_t struct_size;
    fardel_severity severity;
    fardel_code code;
    const char* rule;  /* the stable id of a rule, "names-not-sorted": docs/verifier.md */
    const char* where; /* table and record, block or offset; "": the whole bundle. Texts are safe to print */
    const char* text;  /* what was found, what was expected, what to do */
} fardel_finding;
typedef void (*fardel_found)(void* context, const fardel_finding* finding);

typedef struct fardel_verified_bundle {
    size_t struct_size;
    uint64_t errors; /* 0: the bundle is good */
    uint64_t warnings;
    uint64_t notes;
    fardel_id bundle; /* all zero if the head could not be read */
    fardel_id layout;
    char name[256]; /* "" if it has none; cut when it is longer; safe to print */
    char version[128];
    uint64_t assets;
    uint64_t names;
    uint64_t file_bytes;
    uint64_t raw_bytes; /* of the assets */
    uint64_t signatures;
} fardel_verified_bundle;
#define FARDEL_VERIFIED_BUNDLE_INIT \
    { sizeof(fardel_verified_bundle), 0, 0, 0, {{0}}, {{0}}, {0}, {0}, 0, 0, 0, 0, 0 }
FARDEL_API void fardel_verified_bundle_init(fardel_verified_bundle* verified, size_t struct_size);

enum {
    FARDEL_VERIFY_IGNORE_DATES = 1, /* in signatures and metadata; `now_s` has no meaning then */
    FARDEL_VERIFY_LOCAL_LAYOUT = 2  /* a layout that no signature lists, as after a delta, is a note */
};

typedef struct fardel_verify_options {
    size_t struct_size;      /* sizeof(fardel_verify_options) */
    const char* policy_path; /* a trust policy's file; or null */
    const char* policy_text; /* its text; or null. At most one; with neither, no signature is required */
    const fardel_license_token* licenses;
    size_t license_count;
    uint64_t now_s;                /* Unix seconds; 0: the system's clock */
    fardel_found found;            /* receives all findings, in the order of the file; or null */
    fardel_tool_progress progress; /* or null */
    void* context;                 /* passed to both */
    uint32_t jobs;                 /* threads; 0: one per core */
    uint32_t findings_max;         /* per rule; 0: 100. Further ones are only counted */
    uint32_t flags;                /* FARDEL_VERIFY_… */
} fardel_verify_options;
#define FARDEL_VERIFY_OPTIONS_INIT \
    { sizeof(fardel_verify_options), NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, 0, 0, 0 }
FARDEL_API void fardel_verify_options_init(fardel_verify_options* options, size_t struct_size);

/* Reads every byte of a bundle file and reports all defects. FARDEL_OK means that the check was made, not that the
 * bundle is good: `verified->errors` says that. `options` and `verified` may be null. Errors: missing, denied, io (the
 * file cannot be opened), cancelled, those of the policy. */
FARDEL_API fardel_code fardel_verify_file(const char* path, const fardel_verify_options* options,
                                          fardel_verified_bundle* verified, fardel_error* error);
/* The same for the bytes that a reader gives; it is taken over as by fardel_mount_reader(). */
FARDEL_API fardel_code fardel_verify_reader(const fardel_reader* reader, const fardel_verify_options* options,
                                            fardel_verified_bundle* verified, fardel_error* error);

#ifdef __cplusplus
}
#endif

#endif
