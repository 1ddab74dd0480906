// The trailer of a bundle: envelopes back to back, each with one payload and its signatures.
//
// Neither bundle id nor layout id covers the trailer, so anyone can extend, cut or replace it. Decoding is safe on any
// bytes and decides nothing about trust (trust_policy.h does). Appending an envelope moves no other bytes. The payload
// bytes are kept unchanged, because the signatures cover them.
#pragma once

#include <fardel/format/signer.h>
#include <fardel/format/statement.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fardel {

// Types from 0x8000 up are optional: they are kept but never interpreted or counted. Unknown smaller ones are
// unsupported.
enum class EnvelopeType : std::uint16_t { statement = 1, countersignature = 2 };

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

// Decodes a whole trailer; an empty one means unsigned. At most kEnvelopesMax envelopes with at most kSignaturesMax
// signatures in total, counted before any cryptography. Errors: malformed, limit, unsupported.
Result<std::vector<Envelope>> decode_trailer(std::span<const std::byte> trailer);

// Encodes one envelope, ready to be appended; its size is a multiple of 8. Errors: limit, malformed (no signature).
Result<std::vector<std::byte>> encode_envelope(const Envelope& envelope);

// Returns the bytes that a signature of `payload` covers: (context "fardel", type name, payload), each preceded by its
// u64 length.
std::vector<std::byte> signed_message(EnvelopeType type, std::span<const std::byte> payload);

// Whether this signature by `entry.key` over the envelope's payload is valid. A policy decides whose key it is.
bool verify_envelope_signature(const Envelope& envelope, const EnvelopeSignature& entry);

// Signs a copy of `statement` whose `author` is the signer's key. Errors: those of encode_statement and of the signer.
Result<Envelope> sign_statement(const Statement& statement, Signer& signer);

// Signs the same statement as a second author: returns the same payload under one more signature, to be appended
// besides the first. Errors: conflict (that key has already signed this envelope), malformed (not a statement), those
// of the signer.
Result<Envelope> cosign_statement(const Envelope& statement, Signer& signer);

struct CountersignRequest {
    SignerRole role = SignerRole::registry;  // registry or release
    std::string comment;
    std::uint64_t epoch = 0;
    std::uint64_t created_s = 0;
    std::uint64_t expires_s = 0;  // 0: never
};

// Signs the author's statement and signature together. `statement` must contain a good signature of the statement's
// author. Errors: malformed, untrusted (no good author signature), those of encode_countersignature and of the signer.
Result<Envelope> countersign(const Envelope& statement, const CountersignRequest& request, Signer& signer);

}  // namespace fardel
