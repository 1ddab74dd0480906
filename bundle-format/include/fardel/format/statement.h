// Statement: what an author says and signs about a bundle. Envelope: a payload such as a statement with its signatures.
//
// Plain values, whose bytes docs/signatures.md defines. Neither value proves a signature: TrustPolicy decides which
// envelopes count.
#pragma once

#include <fardel/base/result.h>
#include <fardel/base/unix_time.h>
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
    UnixTime created;
    std::optional<UnixTime> expires;  // later than created; nothing: never
    PublicKey author;
    std::string comment;           // UTF-8 without control characters; pass it through printable() before showing it
    std::uint16_t minor = 0;       // above 0 if written by a later 1.x, which may have filled `extra`
    std::vector<std::byte> extra;  // fields unknown to this version, kept; empty if minor is 0

    friend bool operator==(const Statement&, const Statement&) = default;
    bool lists(const LayoutId& layout) const;
};

// What the owner of a key signs about the use of bundles until a date; docs/signatures.md, "Licence token". A bundle
// whose metadata has `license-token` is mounted only with one that a trust policy believes.
struct LicenseToken {
    BundleId bundle;      // all zeros: `pattern` decides
    std::string pattern;  // a glob over the names of bundles; empty: `bundle` decides
    UnixTime created;
    UnixTime expires;  // later than created: every token ends
    PublicKey issuer;
    std::string comment;  // same rules as Statement::comment
    std::uint16_t minor = 0;
    std::vector<std::byte> extra;

    friend bool operator==(const LicenseToken&, const LicenseToken&) = default;
    bool is_about(const BundleId& id, std::string_view name) const;
};

// Types from 0x8000 up are optional: they are kept but never interpreted or counted. Unknown smaller ones are
// unsupported.
enum class EnvelopeType : std::uint16_t { statement = 1, countersignature = 2, license_token = 3 };

enum class SignatureAlgorithm : std::uint16_t { ed25519 = 1 };  // entries with other values are kept and never verify

struct EnvelopeSignature {
    SignatureAlgorithm algorithm = SignatureAlgorithm::ed25519;
    SignerRole role = SignerRole::author;  // any value; it counts only if it agrees with the payload
    PublicKey key;
    Signature signature;

    friend bool operator==(const EnvelopeSignature&, const EnvelopeSignature&) = default;
};

struct Envelope {
    EnvelopeType type = EnvelopeType::statement;
    std::vector<std::byte> payload;  // encode_statement or encode_countersignature; not decoded here
    std::vector<EnvelopeSignature> signatures;

    friend bool operator==(const Envelope&, const Envelope&) = default;
};

// Signs a copy of `statement` whose `author` is the signer's key. Errors: those of encode_statement and of the signer.
Result<Envelope> sign_statement(const Statement& statement, Signer& signer);

// Signs a copy of `token` whose `issuer` is the signer's key. Errors: malformed, limit, those of the signer.
Result<Envelope> sign_license_token(const LicenseToken& token, Signer& signer);
// Reads the bytes of a token file, which is one envelope, and verifies that its issuer signed it. Whether the issuer
// counts is decided by TrustPolicy::verify_license. Errors: malformed, limit, unsupported, untrusted.
Result<Envelope> parse_license_token(std::span<const std::byte> file);
// Returns what the envelope says, without verifying a signature. Errors: malformed, limit, unsupported.
Result<LicenseToken> license_token_of(const Envelope& envelope);

}  // namespace fardel
