// The two records that are signed: the author's Statement about a bundle, and the Countersignature of a registry or
// release signer.
//
// Plain values and their canonical bytes (docs/signatures.md): one value has one encoding, and any bytes that decode
// encode back to the same bytes. Decoding is safe on any bytes. A decoded record does not prove a signature: see
// envelope.h.
#pragma once

#include <fardel/format/ids.h>
#include <fardel/format/signer.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

enum class SignerRole : std::uint16_t { author = 1, registry = 2, release = 3 };

// Returns "author", "registry" or "release"; "role 7" for an unknown number.
std::string role_name(SignerRole role);
std::optional<SignerRole> find_role(std::string_view name);

struct Statement {
    BundleId bundle;
    std::vector<LayoutId> layouts;  // strictly increasing, at most limits::kLayoutIdsMax; may be empty
    std::uint64_t manifest_bytes = 0;
    std::uint64_t raw_bytes = 0;     // all assets
    std::uint64_t stored_bytes = 0;  // all blocks, in the largest of the layouts
    std::string name;                // a well-formed name (name.h), which policies match
    std::string version;             // a valid BundleVersion; may be empty
    std::string channel;             // a well-formed name, or empty
    std::uint64_t epoch = 0;
    std::uint64_t created_s = 0;  // seconds since 1970, UTC
    std::uint64_t expires_s = 0;  // 0: never; otherwise later than created_s
    PublicKey author;
    std::string comment;           // UTF-8 without control characters; pass it through printable() before showing it
    std::uint16_t minor = 0;       // above 0 if written by a later 1.x, which may have filled `extra`
    std::vector<std::byte> extra;  // fields unknown to this version, kept; empty if minor is 0

    friend bool operator==(const Statement&, const Statement&) = default;
};

struct Countersignature {
    BundleId bundle;
    Hash statement;                          // BLAKE3-256 of the author's statement bytes
    PublicKey author;                        // the statement's author
    Signature author_signature;              // the author's signature of that statement
    SignerRole role = SignerRole::registry;  // registry or release
    std::uint64_t epoch = 0;
    std::uint64_t created_s = 0;
    std::uint64_t expires_s = 0;  // 0: never; otherwise later than created_s
    PublicKey signer;             // the key that countersigns
    std::string comment;          // same rules as Statement::comment
    std::uint16_t minor = 0;
    std::vector<std::byte> extra;

    friend bool operator==(const Countersignature&, const Countersignature&) = default;
};

// Errors: malformed (a field breaks its rule above), limit (a field or the whole is too long).
Result<std::vector<std::byte>> encode_statement(const Statement& statement);
Result<std::vector<std::byte>> encode_countersignature(const Countersignature& countersignature);

// Errors: malformed, limit, unsupported (another major version, or an unknown required flag).
Result<Statement> decode_statement(std::span<const std::byte> bytes);
Result<Countersignature> decode_countersignature(std::span<const std::byte> bytes);

}  // namespace fardel
