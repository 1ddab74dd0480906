/* fardel_pure.h: pure mode over the wire, for servers and clients in C. docs/pure-mode.md.
 *
 * A server makes an offer for each connection; a client, whose fardel_vfs is in pure mode (fardel_enter_pure in
 * fardel.h), answers it; the server's verdict says welcome, or why not. The messages are bytes of fixed size for any
 * netcode. The policy and the client's report are texts that are sent beside them. What fardel.h says of all functions
 * holds here, too.
 */
#ifndef FARDEL_VFS_FARDEL_PURE_H
#define FARDEL_VFS_FARDEL_PURE_H

#include <fardel/vfs/fardel.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FARDEL_PURE_OFFER_BYTES = 624, FARDEL_PURE_ANSWER_BYTES = 240, FARDEL_PURE_VERDICT_BYTES = 108 };

/* ---- Policies and reports --------------------------------------------------------------------------------------- */

/* A bundle of a policy's content set. */
typedef struct fardel_pure_bundle {
    size_t struct_size;
    fardel_id bundle;
    const char* mount_point; /* "": the root; valid during the call, as the next */
    const char* name;        /* for people; may be empty */
    int32_t fold_case;       /* 1: FARDEL_MOUNT_FOLD_CASE */
} fardel_pure_bundle;
typedef void (*fardel_pure_bundle_listed)(void* context, const fardel_pure_bundle* bundle);

/* Reports the content set of a policy in its order: what a client needs, and fetches if it lacks it. `listed`, `digest`
 * and `count` may be null; `digest` is what offers identify the policy by. Errors: malformed, limit, conflict,
 * unsupported. */
FARDEL_API fardel_code fardel_pure_read_policy(const char* policy_text, fardel_pure_bundle_listed listed, void* context,
                                               fardel_id* digest, size_t* count, fardel_error* error);

/* `name`: "fort/stable", valid during the call; `id`: that of the channel's roots. */
typedef void (*fardel_pure_channel_listed)(void* context, const char* name, const fardel_id* id);
/* Reports the channels that a policy's bundles come from. A client that follows one applies its recalls with
 * fardel_judge_again; that a server names a channel is no reason to follow it. `listed` and `count` may be null.
 * Errors: those of fardel_pure_read_policy. */
FARDEL_API fardel_code fardel_pure_read_channels(const char* policy_text, fardel_pure_channel_listed listed,
                                                 void* context, size_t* count, fardel_error* error);

typedef int32_t fardel_pure_fault;
enum {
    FARDEL_PURE_MISSING = 0,     /* a bundle of the content set is not mounted */
    FARDEL_PURE_WRONG = 1,       /* it is damaged, or mounted elsewhere or with another case rule */
    FARDEL_PURE_UNSIGNED = 2,    /* no key that the client trusts has signed it */
    FARDEL_PURE_REVOKED = 3,     /* the bundle, or the key of a signer, is withdrawn */
    FARDEL_PURE_NOT_ALLOWED = 4, /* a loose file, a signer or a variant that the policy does not allow */
    FARDEL_PURE_EXTRA = 5        /* a bundle that the policy does not mention */
};

typedef struct fardel_pure_problem {
    size_t struct_size;
    fardel_pure_fault fault;
    int32_t has_bundle; /* 1 if `bundle` is set */
    fardel_id bundle;
    const char* name; /* the bundle's, or a label, path or variant; valid during the call, as the next */
    const char* text; /* the reason */
} fardel_pure_problem;
typedef void (*fardel_pure_problem_found)(void* context, const fardel_pure_problem* problem);

/* Reports what is wrong with the mounts in pure mode now; the ids of what is FARDEL_PURE_MISSING can be fetched.
 * `found` and `count` may be null. Error: denied (not in pure mode). */
FARDEL_API fardel_code fardel_pure_problems(const fardel_vfs* vfs, fardel_pure_problem_found found, void* context,
                                            size_t* count, fardel_error* error);
/* Reports the problems of a client's report, whose text came from the client: names and reasons are safe to show.
 * `found` and `count` may be null. Errors: malformed, limit, unsupported. */
FARDEL_API fardel_code fardel_pure_read_report(const char* report_text, fardel_pure_problem_found found, void* context,
                                               size_t* count, fardel_error* error);

/* ---- Client ----------------------------------------------------------------------------------------------------- */

/* Reads an offer: the digest of the policy that it is about, and the server's sources, for fardel_server_options.
 * Either may be null. Errors: malformed, unsupported. */
FARDEL_API fardel_code fardel_pure_read_offer(const void* offer, size_t offer_bytes, fardel_id* digest,
                                              fardel_foreign_urls* sources, fardel_error* error);

/* Called once with the text of the report that goes to the server beside the answer; valid during the call. */
typedef void (*fardel_pure_report_made)(void* context, const char* report_text, size_t text_bytes);

/* Answers an offer for what is visible: reads at most 64 pieces of 64 KiB. `connection`: the name that client and
 * server both give their connection. `variants`: what the client may use on the policy's axes, "texture=bc7;
 * lang=en,fr", or null. `answer`: FARDEL_PURE_ANSWER_BYTES. `made` may be null. With problems in the report there is an
 * answer, too, and the server will refuse it. Errors: denied (not in pure mode), malformed, unsupported (the offer),
 * corrupt (it is about another policy), limit. */
FARDEL_API fardel_code fardel_pure_answer(const fardel_vfs* vfs, const void* offer, size_t offer_bytes,
                                          const char* connection, const char* variants, void* answer,
                                          fardel_pure_report_made made, void* context, fardel_error* error);

/* `word`: "replayed", …; `sentence`: for people. Both are static. */
typedef void (*fardel_pure_refused)(void* context, const char* word, const char* sentence);

/* Sets `*welcome` to 1, or to 0 and reports each reason. `refused` may be null. Errors: malformed, unsupported. */
FARDEL_API fardel_code fardel_pure_read_verdict(const void* verdict, size_t verdict_bytes, fardel_pure_refused refused,
                                                void* context, int32_t* welcome, fardel_error* error);

/* ---- Server ----------------------------------------------------------------------------------------------------- */

typedef struct fardel_pure_server fardel_pure_server;

typedef struct fardel_pure_server_options {
    size_t struct_size;      /* sizeof(fardel_pure_server_options) */
    const char* policy_text; /* required */
    /* The server's own copies of the content set, in any order: files and readers. The library takes the readers over
     * as fardel_mount_reader does. */
    const char* const* bundle_paths;
    size_t bundle_path_count;
    const fardel_reader* readers;
    size_t reader_count;
    const char* const* sources; /* URLs of missing bundles, for clients: at most 512 bytes with a byte for each */
    size_t source_count;
    uint32_t valid_s;           /* how long an offer can be answered; 0: 60 */
    uint32_t offers_per_minute; /* to one address, on average; 0: 30 */
    uint32_t offers_at_once;    /* to one address, before the average counts; 0: 10 */
    uint32_t flags;             /* 0 */
} fardel_pure_server_options;
#define FARDEL_PURE_SERVER_OPTIONS_INIT \
    { sizeof(fardel_pure_server_options), NULL, NULL, 0, NULL, 0, NULL, 0, 0, 0, 0, 0 }
FARDEL_API void fardel_pure_server_options_init(fardel_pure_server_options* options, size_t struct_size);

/* Opens the bundles and begins the first epoch. `*server` is null after a failure. Errors: those of
 * fardel_pure_read_policy, of files, and of bundles; missing (a bundle of the content set is not among them). */
FARDEL_API fardel_code fardel_pure_server_create(const fardel_pure_server_options* options, fardel_pure_server** server,
                                                 fardel_error* error);
/* No call with this server may be running. Null is allowed. */
FARDEL_API void fardel_pure_server_destroy(fardel_pure_server* server);

/* To be called about every half minute, from any thread: reads at most 64 pieces of 64 KiB, which offers made from now
 * on ask for. Errors: those of reading; the epoch before it stays. */
FARDEL_API fardel_code fardel_pure_server_begin_epoch(fardel_pure_server* server, fardel_error* error);

/* `address`: whose offers are counted together, "203.0.113.7", or the first 64 bits of an IPv6 address; it should have
 * been proved to be the client's. `now_s`: Unix seconds; 0: the system's clock. `offer`: FARDEL_PURE_OFFER_BYTES.
 * Error: busy (too many offers to this address, or to all). */
FARDEL_API fardel_code fardel_pure_server_offer(fardel_pure_server* server, const char* address, const char* connection,
                                                uint64_t now_s, void* offer, fardel_error* error);

/* Judges an answer, without reading. `report_text`: the client's report, or null. `verdict`: FARDEL_PURE_VERDICT_BYTES,
 * for the client; `welcome` is as in fardel_pure_read_verdict; each of the two may be null. What is wrong with the
 * answer is in the verdict. Errors, which leave the offer open: malformed, unsupported, limit (bytes that are no answer
 * or no report). */
FARDEL_API fardel_code fardel_pure_server_check(fardel_pure_server* server, const void* answer, size_t answer_bytes,
                                                const char* connection, const char* report_text, uint64_t now_s,
                                                void* verdict, int32_t* welcome, fardel_error* error);

#ifdef __cplusplus
}
#endif

#endif
