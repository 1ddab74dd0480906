/* fardel_types.h: what all C headers of Fardel share: codes, errors, ids and readers. See docs/c-api.md.
 *
 * C11 and C++. Structs of the caller begin with their own size and grow only at their end; codes keep their numbers.
 * Text is UTF-8 and ends in NUL.
 */
#ifndef FARDEL_FORMAT_FARDEL_TYPES_H
#define FARDEL_FORMAT_FARDEL_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* On Windows, a user of a DLL of Fardel defines FARDEL_SHARED; CMake's targets of them do. */
#if defined(_WIN32) && defined(FARDEL_BUILDING)
#define FARDEL_API __declspec(dllexport)
#elif defined(_WIN32) && defined(FARDEL_SHARED)
#define FARDEL_API __declspec(dllimport)
#elif defined(__GNUC__) && !defined(_WIN32)
#define FARDEL_API __attribute__((visibility("default")))
#else
#define FARDEL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Codes and errors ------------------------------------------------------------------------------------------- */

typedef int32_t fardel_code;
enum {
    FARDEL_OK = 0,
    FARDEL_ERROR_MISSING = 1,      /* the requested thing does not exist */
    FARDEL_ERROR_CORRUPT = 2,      /* bytes do not match their hash or signature */
    FARDEL_ERROR_MALFORMED = 3,    /* bytes or text do not have the form that they must have */
    FARDEL_ERROR_LIMIT = 4,        /* above a limit of the library, or more than the caller's buffer holds */
    FARDEL_ERROR_UNTRUSTED = 5,    /* no acceptable signature */
    FARDEL_ERROR_REVOKED = 6,      /* the key or bundle was accepted once and has been withdrawn */
    FARDEL_ERROR_EXPIRED = 7,      /* a date has passed */
    FARDEL_ERROR_ROLLBACK = 8,     /* older than what was accepted before */
    FARDEL_ERROR_UNSUPPORTED = 9,  /* this library is too old for the file, or for what the caller asks */
    FARDEL_ERROR_CONFLICT = 10,    /* two things claim the same name or location */
    FARDEL_ERROR_UNRESOLVED = 11,  /* a name or dependency that nothing provides */
    FARDEL_ERROR_DENIED = 12,      /* permission or policy forbids it */
    FARDEL_ERROR_BUSY = 13,        /* in use by another thread or program; trying later may work */
    FARDEL_ERROR_UNREACHABLE = 14, /* a server or share does not answer */
    FARDEL_ERROR_NO_SPACE = 15,    /* the disk or quota is full */
    FARDEL_ERROR_IO = 16,          /* the operating system reported another failure */
    FARDEL_ERROR_CANCELLED = 17,   /* the caller asked to stop */
    /* Used by this API only. */
    FARDEL_ERROR_ARGUMENT = 100, /* a null pointer, a struct_size that no version has had */
    FARDEL_ERROR_NO_MEMORY = 101
};

/* A failure, described for people. Functions that take one accept null. It is written only if a call fails. */
typedef struct fardel_error {
    size_t struct_size; /* sizeof(fardel_error): the size of this struct; set by the caller */
    fardel_code code;
    char text[500]; /* one sentence; cut at a character when it is longer */
} fardel_error;
#define FARDEL_ERROR_INIT                      \
    {                                          \
        sizeof(fardel_error), FARDEL_OK, { 0 } \
    }

/* ---- Ids -------------------------------------------------------------------------------------------------------- */

/* BLAKE3-256: of an asset's bytes, or of the first 4096 bytes of a bundle's file. */
typedef struct fardel_id {
    uint8_t bytes[32];
} fardel_id;

/* ---- URLs of strangers ------------------------------------------------------------------------------------------ */

/* URLs that a stranger has named, such as a game server: one per line, each with a line feed at its end, then NUL. They
 * are no list of URLs, so that nothing connects to them as if the user had named them: a server that names
 * "http://192.168.0.1/" would have its players ask the routers at their homes. fardel_server_options has a place for
 * them, and a rule. */
typedef struct fardel_foreign_urls {
    char lines[520];
} fardel_foreign_urls;

/* ---- Licence tokens --------------------------------------------------------------------------------------------- */

/* The bytes of a token's file, as its issuer gave them out: until a date it permits the use of bundles that require a
 * token. docs/trust-policy.md. */
typedef struct fardel_license_token {
    const void* bytes;
    size_t size_bytes;
} fardel_license_token;

/* ---- Readers ---------------------------------------------------------------------------------------------------- */

/* The bytes of one bundle file, wherever they are: fardel_mount_reader() reads through it. A library fills it in
 * (fardel_fetch.h), or the game does. All functions but `release` may be called by any thread, several at once. */
typedef struct fardel_reader {
    size_t struct_size;
    void* context;       /* passed to all functions */
    uint64_t size_bytes; /* of the file; it never changes */
    /* Fills the whole of `buffer`. On a failure returns its code and writes `error`, which is never null. Bytes need
     * not be right: they are compared with their hashes. */
    fardel_code (*read_at)(void* context, uint64_t offset, void* buffer, size_t size_bytes, fardel_error* error);
    /* These bytes will be read soon. Does not wait. May be null. */
    void (*prefetch)(void* context, uint64_t offset, uint64_t size_bytes);
    /* Returns 0 if reading these bytes would be FARDEL_ERROR_MISSING or wait for a server, else 1. Does not wait. Null:
     * all bytes are here. */
    int32_t (*holds)(void* context, uint64_t offset, uint64_t size_bytes);
    /* Called once, when nothing reads any more. May be null. */
    void (*release)(void* context);
} fardel_reader;
#define FARDEL_READER_INIT \
    { sizeof(fardel_reader), NULL, 0, NULL, NULL, NULL, NULL }

#ifdef __cplusplus
}
#endif

#endif
