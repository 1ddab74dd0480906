#include <fardel/base/fits.h>
#include <fardel/format/envelope.h>

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>
#include <fardel/format/hash.h>
#include <fardel/format/limits.h>

#include <algorithm>

namespace fardel {
namespace {

constexpr std::string_view kMagic = "FARDELEN";
constexpr std::uint16_t kVersion = 1;
constexpr std::size_t kHeaderBytes = 24;
constexpr std::size_t kSignatureBytes = 104;
constexpr std::uint16_t kOptionalTypes = 0x8000;

std::uint64_t envelope_bytes(std::uint64_t payload_bytes, std::uint64_t signatures) {
    return align_up(kHeaderBytes + payload_bytes + signatures * kSignatureBytes, 8);
}

bool is_known(EnvelopeType type) {
    return type == EnvelopeType::statement || type == EnvelopeType::countersignature ||
           type == EnvelopeType::license_token || static_cast<std::uint16_t>(type) >= kOptionalTypes;
}

// Returns the name that a signature of this type covers, so that a signature of one type never passes for another.
std::string type_name(EnvelopeType type) {
    switch (type) {
        case EnvelopeType::statement: return "statement";
        case EnvelopeType::countersignature: return "countersignature";
        case EnvelopeType::license_token: return "license token";
    }
    return "type " + std::to_string(static_cast<unsigned>(type));
}

Status verify_counts(std::size_t payload_bytes, std::size_t signatures) {
    if (payload_bytes > limits::kStatementBytesMax)
        return Error(ErrorCode::limit, "envelope: payload of " + std::to_string(payload_bytes) + " bytes, at most " +
                                           std::to_string(limits::kStatementBytesMax) + " allowed");
    if (signatures > limits::kSignaturesMax)
        return Error(ErrorCode::limit, "envelope: " + std::to_string(signatures) + " signatures, at most " +
                                           std::to_string(limits::kSignaturesMax) + " allowed");
    if (signatures == 0)
        return Error(ErrorCode::malformed, "envelope: no signature");
    return ok();
}

// Decodes one envelope from the front of `rest`, and advances `rest` past it.
Result<Envelope> read_envelope(std::span<const std::byte>& rest) {
    ByteReader in(rest, "envelope");
    const auto magic = in.raw(kMagic.size());
    if (!std::ranges::equal(magic, std::as_bytes(std::span(kMagic))))
        in.fail(ErrorCode::malformed, "does not begin with " + std::string(kMagic));
    const std::size_t total_bytes = in.u32();
    if (const auto version = in.u16(); version != kVersion)
        in.fail(ErrorCode::unsupported, "version " + std::to_string(version) + ", this library knows 1");
    Envelope envelope;
    envelope.type = static_cast<EnvelopeType>(in.u16());
    if (!is_known(envelope.type))
        in.fail(ErrorCode::unsupported, type_name(envelope.type) + " is not known");
    const std::size_t payload_bytes = in.u32();
    const std::size_t signatures = in.u16();
    if (in.u16() != 0)
        in.fail(ErrorCode::malformed, "reserved bytes are not zero");
    // Counts meet their limits before anything is allocated for them.
    if (!in.failed())
        FARDEL_TRY(verify_counts(payload_bytes, signatures));
    if (total_bytes != envelope_bytes(payload_bytes, signatures))
        in.fail(ErrorCode::malformed, "its length is " + std::to_string(total_bytes) + ", its parts say " +
                                          std::to_string(envelope_bytes(payload_bytes, signatures)));

    const auto payload = in.raw(payload_bytes);
    envelope.payload.assign(payload.begin(), payload.end());
    for (std::size_t i = 0; i < signatures && !in.failed(); ++i) {
        EnvelopeSignature entry;
        entry.algorithm = static_cast<SignatureAlgorithm>(in.u16());
        entry.role = static_cast<SignerRole>(in.u16());
        if (in.u32() != 0)
            in.fail(ErrorCode::malformed, "reserved bytes are not zero");
        entry.key = in.fixed<PublicKey>();
        entry.signature = in.fixed<Signature>();
        envelope.signatures.push_back(entry);
    }
    // No signature covers the padding, so anything else than zeros could be changed without notice.
    const auto padding = in.raw(total_bytes - (kHeaderBytes + payload_bytes + signatures * kSignatureBytes));
    if (std::ranges::any_of(padding, [](std::byte byte) { return byte != std::byte{0}; }))
        in.fail(ErrorCode::malformed, "padding is not zero");
    if (!in.failed())
        rest = rest.subspan(total_bytes);
    else
        FARDEL_TRY(in.finish());
    return envelope;
}

// Returns the payload under one signature.
Result<Envelope> sign(EnvelopeType type, std::vector<std::byte> payload, SignerRole role, Signer& signer) {
    FARDEL_TRY_ASSIGN(const Signature signature, signer.sign(signed_message(type, payload)));
    return Envelope{type, std::move(payload), {{SignatureAlgorithm::ed25519, role, signer.public_key(), signature}}};
}

Result<Statement> statement_of(const Envelope& envelope) {
    if (envelope.type != EnvelopeType::statement)
        return Error(ErrorCode::malformed, "envelope: " + type_name(envelope.type) + " where a statement is expected");
    return decode_statement(envelope.payload);
}

}  // namespace

Result<std::vector<Envelope>> decode_trailer(std::span<const std::byte> trailer) {
    if (trailer.size() > limits::kTrailerBytesMax)
        return Error(ErrorCode::limit, "trailer of " + std::to_string(trailer.size()) + " bytes, at most " +
                                           std::to_string(limits::kTrailerBytesMax) + " allowed");
    std::vector<Envelope> envelopes;
    std::size_t signatures = 0;
    while (!trailer.empty()) {
        if (envelopes.size() == limits::kEnvelopesMax)
            return Error(ErrorCode::limit,
                         "trailer: more than " + std::to_string(limits::kEnvelopesMax) + " envelopes");
        FARDEL_TRY_ASSIGN(Envelope envelope, read_envelope(trailer));
        // A token in the trailer would travel with the bundle, to everybody.
        if (envelope.type == EnvelopeType::license_token)
            return Error(ErrorCode::unsupported, "trailer: a license token is a file of its own");
        signatures += envelope.signatures.size();
        if (signatures > limits::kSignaturesMax)
            return Error(ErrorCode::limit,
                         "trailer: more than " + std::to_string(limits::kSignaturesMax) + " signatures");
        envelopes.push_back(std::move(envelope));
    }
    return envelopes;
}

Result<Envelope> decode_envelope(std::span<const std::byte> bytes) {
    FARDEL_TRY_ASSIGN(Envelope envelope, read_envelope(bytes));
    if (!bytes.empty())
        return Error(ErrorCode::malformed, "envelope: " + std::to_string(bytes.size()) + " bytes behind it");
    return envelope;
}

Result<std::vector<std::byte>> encode_envelope(const Envelope& envelope) {
    FARDEL_TRY(verify_counts(envelope.payload.size(), envelope.signatures.size()));
    if (!is_known(envelope.type))
        return Error(ErrorCode::unsupported, "envelope: " + type_name(envelope.type) + " is not known");
    ByteWriter out;
    out.text(kMagic);
    out.u32(static_cast<std::uint32_t>(envelope_bytes(envelope.payload.size(), envelope.signatures.size())));
    out.u16(kVersion);
    out.u16(static_cast<std::uint16_t>(envelope.type));
    out.u32(static_cast<std::uint32_t>(envelope.payload.size()));
    out.u16(static_cast<std::uint16_t>(envelope.signatures.size()));
    out.u16(0);
    out.raw(envelope.payload);
    for (const EnvelopeSignature& entry : envelope.signatures) {
        out.u16(static_cast<std::uint16_t>(entry.algorithm));
        out.u16(static_cast<std::uint16_t>(entry.role));
        out.u32(0);
        out.fixed(entry.key);
        out.fixed(entry.signature);
    }
    out.pad_to(8);
    return out.take();
}

std::vector<std::byte> signed_message(EnvelopeType type, std::span<const std::byte> payload) {
    return signed_message(type_name(type), payload);
}

std::vector<std::byte> signed_message(std::string_view type_name, std::span<const std::byte> payload) {
    ByteWriter out;
    // Each part has its length in front, so no two triples of context, type and payload give the same message.
    for (const std::string_view part : {std::string_view("fardel"), type_name}) {
        out.u64(part.size());
        out.text(part);
    }
    out.u64(payload.size());
    out.raw(payload);
    return out.take();
}

bool verify_envelope_signature(const Envelope& envelope, const EnvelopeSignature& entry) {
    return entry.algorithm == SignatureAlgorithm::ed25519 &&
           verify_signature(entry.key, signed_message(envelope.type, envelope.payload), entry.signature);
}

Result<Envelope> sign_statement(const Statement& statement, Signer& signer) {
    Statement own = statement;
    own.author = signer.public_key();
    FARDEL_TRY_ASSIGN(auto payload, encode_statement(own));
    return sign(EnvelopeType::statement, std::move(payload), SignerRole::author, signer);
}

Result<Envelope> sign_license_token(const LicenseToken& token, Signer& signer) {
    LicenseToken own = token;
    own.issuer = signer.public_key();
    FARDEL_TRY_ASSIGN(auto payload, encode_license_token(own));
    return sign(EnvelopeType::license_token, std::move(payload), SignerRole::author, signer);
}

Result<Envelope> cosign_statement(const Envelope& statement, Signer& signer) {
    FARDEL_TRY(statement_of(statement));
    if (std::ranges::find(statement.signatures, signer.public_key(), &EnvelopeSignature::key) !=
        statement.signatures.end())
        return Error(ErrorCode::conflict, "statement: key " + key_id(signer.public_key()) + " has signed it already");
    return sign(statement.type, statement.payload, SignerRole::author, signer);
}

Result<Envelope> countersign(const Envelope& statement, const CountersignRequest& request, Signer& signer) {
    FARDEL_TRY_ASSIGN(const Statement signed_by_author, statement_of(statement));
    const auto by_author = std::ranges::find_if(statement.signatures, [&](const EnvelopeSignature& entry) {
        return entry.role == SignerRole::author && entry.key == signed_by_author.author &&
               verify_envelope_signature(statement, entry);
    });
    // A countersignature covers the author's signature, so that neither can be stripped or swapped; there has to be
    // one.
    if (by_author == statement.signatures.end())
        return Error(ErrorCode::untrusted, "statement: no good signature of its author");

    Countersignature countersignature;
    countersignature.bundle = signed_by_author.bundle;
    countersignature.statement = blake3(statement.payload);
    countersignature.author = signed_by_author.author;
    countersignature.author_signature = by_author->signature;
    countersignature.role = request.role;
    countersignature.epoch = request.epoch;
    countersignature.created = request.created;
    countersignature.expires = request.expires;
    countersignature.signer = signer.public_key();
    countersignature.comment = request.comment;
    FARDEL_TRY_ASSIGN(auto payload, encode_countersignature(countersignature));
    return sign(EnvelopeType::countersignature, std::move(payload), request.role, signer);
}

}  // namespace fardel
