// The trailer of a bundle: envelopes back to back, each with one payload and its signatures; and the bytes of the two
// records that are signed: the author's Statement, and the Countersignature of a registry or release signer.
//
// Neither bundle id nor layout id covers the trailer, so anyone can extend, cut or replace it. Decoding is safe on any
// bytes and decides nothing about trust (trust_policy.h does). Appending an envelope moves no other bytes. The payload
// bytes are kept unchanged, because the signatures cover them. A record has one encoding, and any bytes that decode
// encode back to the same bytes.
#pragma once

#include <fardel/format/signer.h>
#include <fardel/format/statement.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct Countersignature {
    BundleId bundle;
    Hash statement;                          // BLAKE3-256 of the author's statement bytes
    PublicKey author;                        // the statement's author
    Signature author_signature;              // the author's signature of that statement
    SignerRole role = SignerRole::registry;  // registry or release
    std::uint64_t epoch = 0;
    UnixTime created;
    std::optional<UnixTime> expires;  // later than created; nothing: never
    PublicKey signer;                 // the key that countersigns
    std::string comment;              // same rules as Statement::comment
    std::uint16_t minor = 0;
    std::vector<std::byte> extra;

    friend bool operator==(const Countersignature&, const Countersignature&) = default;
};

// Errors: malformed (a field breaks its rule), limit (a field or the whole is too long).
Result<std::vector<std::byte>> encode_statement(const Statement& statement);
Result<std::vector<std::byte>> encode_countersignature(const Countersignature& countersignature);
Result<std::vector<std::byte>> encode_license_token(const LicenseToken& token);

// Errors: malformed, limit, unsupported (another major version, or an unknown required flag).
Result<Statement> decode_statement(std::span<const std::byte> bytes);
Result<Countersignature> decode_countersignature(std::span<const std::byte> bytes);
Result<LicenseToken> decode_license_token(std::span<const std::byte> bytes);

// Decodes a whole trailer; an empty one means unsigned. At most kEnvelopesMax envelopes with at most kSignaturesMax
// signatures in total, counted before any cryptography. Errors: malformed, limit, unsupported.
Result<std::vector<Envelope>> decode_trailer(std::span<const std::byte> trailer);

// Decodes one envelope of a known type, and nothing behind it. Errors: malformed, limit, unsupported.
Result<Envelope> decode_envelope(std::span<const std::byte> bytes);

// Encodes one envelope, ready to be appended; its size is a multiple of 8. Errors: limit, malformed (no signature).
Result<std::vector<std::byte>> encode_envelope(const Envelope& envelope);

// Returns the bytes that a signature of `payload` covers: (context "fardel", type name, payload), each preceded by its
// u64 length.
std::vector<std::byte> signed_message(EnvelopeType type, std::span<const std::byte> payload);
// The same for a record of Fardel that is in no envelope. `type_name` must differ from those of all other records.
std::vector<std::byte> signed_message(std::string_view type_name, std::span<const std::byte> payload);

// Whether this signature by `entry.key` over the envelope's payload is valid. A policy decides whose key it is.
bool verify_envelope_signature(const Envelope& envelope, const EnvelopeSignature& entry);

// Signs the same statement as a second author: returns the same payload under one more signature, to be appended
// besides the first. Errors: conflict (that key has already signed this envelope), malformed (not a statement), those
// of the signer.
Result<Envelope> cosign_statement(const Envelope& statement, Signer& signer);

struct CountersignRequest {
    SignerRole role = SignerRole::registry;  // registry or release
    std::string comment;
    std::uint64_t epoch = 0;
    UnixTime created;
    std::optional<UnixTime> expires;  // nothing: never
};

// Signs the author's statement and signature together. `statement` must contain a good signature of the statement's
// author. Errors: malformed, untrusted (no good author signature), those of encode_countersignature and of the signer.
Result<Envelope> countersign(const Envelope& statement, const CountersignRequest& request, Signer& signer);

}  // namespace fardel
