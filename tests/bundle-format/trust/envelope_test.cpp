#include <fardel/format/envelope.h>

#include "kit/files.h"
#include "kit/record_family.h"
#include "signing_vectors.h"

#include <fardel/format/limits.h>

#include <sstream>

namespace fardel::tests::envelope_test {

Envelope document_envelope(EnvelopeType type, std::string_view payload, std::string_view signature, SignerRole role,
                           std::string_view key) {
    Envelope envelope;
    envelope.type = type;
    envelope.payload = signing_vector(payload);
    envelope.signatures = {
        {SignatureAlgorithm::ed25519, role, fixed_vector<PublicKey>(key), fixed_vector<Signature>(signature)}};
    return envelope;
}

Envelope statement_envelope() {
    return document_envelope(EnvelopeType::statement, "statement", "signature-alice", SignerRole::author, "key-alice");
}
Envelope countersignature_envelope() {
    return document_envelope(EnvelopeType::countersignature, "countersignature", "signature-hub", SignerRole::registry,
                             "key-hub");
}

Bytes encoded(const Envelope& envelope) { return value_of(encode_envelope(envelope)); }

Bytes trailer_of(std::span<const Envelope> envelopes) {
    Bytes trailer;
    for (const Envelope& envelope : envelopes) {
        const Bytes bytes = encoded(envelope);
        trailer.insert(trailer.end(), bytes.begin(), bytes.end());
    }
    return trailer;
}

Envelope with_signatures(std::size_t count) {
    Envelope envelope = statement_envelope();
    envelope.signatures.resize(count, envelope.signatures[0]);
    return envelope;
}

// Decodes a trailer that must contain exactly one envelope.
Result<Envelope> decode_one(std::span<const std::byte> bytes) {
    FARDEL_TRY_ASSIGN(auto envelopes, decode_trailer(bytes));
    if (envelopes.size() != 1)
        return Error(ErrorCode::malformed, "not one envelope");
    return std::move(envelopes[0]);
}

// A signer whose program always fails.
class BrokenSigner final : public Signer {
public:
    PublicKey public_key() const override { return fixed_vector<PublicKey>("key-alice"); }
    Result<Signature> sign(std::span<const std::byte>) override { return Error(ErrorCode::denied, "no"); }
};

TEST_CASE("envelope: the document's statement envelope has the document's bytes") {
    check_record_family(statement_envelope(), signing_vector("envelope-statement"), encoded, decode_one);
}

TEST_CASE("envelope: the document's countersignature envelope has the document's bytes") {
    check_record_family(countersignature_envelope(), signing_vector("envelope-countersignature"), encoded, decode_one);
}

TEST_CASE("envelope: an empty trailer is an unsigned bundle") { CHECK(decode_trailer({}).value().empty()); }

TEST_CASE("envelope: appending one moves nothing") {
    const std::vector<Envelope> both = {statement_envelope(), countersignature_envelope()};
    const Bytes trailer = trailer_of(both);
    CHECK(decode_trailer(trailer).value() == both);
    const Bytes& first = signing_vector("envelope-statement");
    CHECK(std::equal(first.begin(), first.end(), trailer.begin()));
    for (std::size_t length = 0; length < trailer.size(); ++length) {  // A20
        CAPTURE(length);
        CHECK(static_cast<bool>(decode_trailer(std::span(trailer).first(length))) ==
              (length == 0 || length == first.size()));
    }
}

TEST_CASE("envelope: every padding is zero and shorter than 8") {
    for (std::size_t size = 0; size < 20; ++size) {
        CAPTURE(size);
        Envelope envelope = statement_envelope();
        envelope.payload.assign(size, std::byte{7});
        const Bytes bytes = encoded(envelope);
        CHECK(bytes.size() % 8 == 0);
        CHECK(bytes.size() - (24 + size + 104) < 8);
        CHECK(decode_one(bytes).value() == envelope);
        if (bytes.size() > 24 + size + 104)
            CHECK(code_of(decode_trailer(with_bytes(bytes, bytes.size() - 1, {1}))) == ErrorCode::malformed);
    }
}

TEST_CASE("envelope: another magic is malformed, another version or type unsupported") {  // A27
    const Bytes& golden = signing_vector("envelope-statement");
    CHECK(code_of(decode_trailer(with_bytes(golden, 0, {0}))) == ErrorCode::malformed);
    CHECK(code_of(decode_trailer(with_bytes(golden, 12, {2}))) == ErrorCode::unsupported);
    CHECK(code_of(decode_trailer(with_bytes(golden, 14, {0}))) == ErrorCode::unsupported);
    CHECK(code_of(decode_trailer(with_bytes(golden, 14, {3}))) == ErrorCode::unsupported);
    CHECK(code_of(decode_trailer(with_bytes(golden, 14, {0xff, 0x7f}))) == ErrorCode::unsupported);
    CHECK(code_of(decode_trailer(with_bytes(golden, 22, {1}))) == ErrorCode::malformed);
    const auto optional = decode_one(with_bytes(golden, 14, {0x00, 0x80}));  // A28
    REQUIRE(optional);
    CHECK(encoded(*optional) == with_bytes(golden, 14, {0x00, 0x80}));
    CHECK_FALSE(verify_envelope_signature(*optional, optional->signatures[0]));

    Envelope unknown = statement_envelope();
    unknown.type = EnvelopeType{9};
    CHECK(code_of(encode_envelope(unknown)) == ErrorCode::unsupported);
}

TEST_CASE("envelope: a length that does not agree with the parts is refused") {  // A22, A24
    const Bytes& golden = signing_vector("envelope-statement");
    for (const std::initializer_list<unsigned> length : {std::initializer_list<unsigned>{0, 0, 0, 0},
                                                         {0x68, 1, 0, 0},
                                                         {0x78, 1, 0, 0},
                                                         {0xff, 0xff, 0xff, 0xff},
                                                         {0xf8, 0xff, 0xff, 0x7f}})
        CHECK(code_of(decode_trailer(with_bytes(golden, 8, length))) == ErrorCode::malformed);
    CHECK(code_of(decode_trailer(with_bytes(golden, 16, {0xff, 0xff, 0xff, 0xff}))) == ErrorCode::limit);
    CHECK(code_of(decode_trailer(with_bytes(golden, 16, {0, 0}))) == ErrorCode::malformed);
}

TEST_CASE("envelope: counts and sizes are accepted at their limit and refused one past it") {  // A56
    CHECK(decode_one(encoded(with_signatures(limits::kSignaturesMax))));
    CHECK(code_of(encode_envelope(with_signatures(limits::kSignaturesMax + 1))) == ErrorCode::limit);
    CHECK(code_of(encode_envelope(with_signatures(0))) == ErrorCode::malformed);
    const Bytes& golden = signing_vector("envelope-statement");
    CHECK(code_of(decode_trailer(with_bytes(golden, 20, {0, 0}))) == ErrorCode::malformed);
    CHECK(code_of(decode_trailer(with_bytes(golden, 20, {17, 0}))) == ErrorCode::limit);
    CHECK(code_of(decode_trailer(with_bytes(golden, 20, {0x50, 0xc3}))) == ErrorCode::limit);  // 50,000

    // In all envelopes together.
    CHECK(decode_trailer(trailer_of(std::vector(16, with_signatures(1)))));
    CHECK(decode_trailer(trailer_of(std::vector{with_signatures(8), with_signatures(8)})));
    CHECK(code_of(decode_trailer(trailer_of(std::vector{with_signatures(8), with_signatures(9)}))) == ErrorCode::limit);
    CHECK(code_of(decode_trailer(trailer_of(std::vector(17, with_signatures(1))))) == ErrorCode::limit);

    Envelope envelope = statement_envelope();
    envelope.payload.resize(limits::kStatementBytesMax);
    CHECK(decode_one(encoded(envelope)).value() == envelope);
    envelope.payload.resize(limits::kStatementBytesMax + 1);
    CHECK(code_of(encode_envelope(envelope)) == ErrorCode::limit);

    CHECK(code_of(decode_trailer(Bytes(limits::kTrailerBytesMax + 1))) == ErrorCode::limit);
    CHECK(code_of(decode_trailer(Bytes(limits::kTrailerBytesMax))) == ErrorCode::malformed);
}

TEST_CASE("envelope: the signed message is the document's") {
    CHECK(signed_message(EnvelopeType::statement, signing_vector("statement")) == signing_vector("signed-message"));
}

TEST_CASE("envelope: the document's signatures are made and verify") {
    const auto alice = make_key_signer(secret_key("alice"));
    const auto hub = make_key_signer(secret_key("hub"));
    CHECK(alice->public_key() == fixed_vector<PublicKey>("key-alice"));

    const auto statement = sign_statement(document_statement(), *alice);
    REQUIRE(statement);
    CHECK(*statement == statement_envelope());
    CountersignRequest request;
    request.comment = "reviewed";
    request.epoch = 3;
    request.created = {1'700'000'100};
    const auto countersignature = countersign(*statement, request, *hub);
    REQUIRE(countersignature);
    CHECK(*countersignature == countersignature_envelope());

    CHECK(verify_envelope_signature(*statement, statement->signatures[0]));
    CHECK(verify_envelope_signature(*countersignature, countersignature->signatures[0]));
    CHECK_FALSE(verify_envelope_signature(*statement, countersignature->signatures[0]));
}

TEST_CASE("envelope: a signature of one type does not verify as another type") {  // A54
    Envelope replayed = statement_envelope();
    replayed.type = EnvelopeType::countersignature;
    CHECK_FALSE(verify_envelope_signature(replayed, replayed.signatures[0]));
    const SecretKey alice = secret_key("alice");
    const Envelope envelope = statement_envelope();
    CHECK_FALSE(verify_envelope_signature(
        envelope, {SignatureAlgorithm::ed25519, SignerRole::author, alice.public_key(), alice.sign(envelope.payload)}));
}

TEST_CASE("envelope: the algorithm is Ed25519 or the signature does not verify") {  // A60
    const Envelope envelope = statement_envelope();
    for (const unsigned algorithm : {0u, 2u, 0xffffu}) {
        EnvelopeSignature entry = envelope.signatures[0];
        entry.algorithm = static_cast<SignatureAlgorithm>(algorithm);
        CHECK_FALSE(verify_envelope_signature(envelope, entry));
    }
}

TEST_CASE("envelope: no flipped bit of message, key or signature verifies") {  // A21
    const PublicKey key = fixed_vector<PublicKey>("key-alice");
    const Signature signature = fixed_vector<Signature>("signature-alice");
    const Bytes& message = signing_vector("signed-message");
    CHECK(verify_signature(key, message, signature));
    for (std::size_t bit = 0; bit < 256; ++bit) {
        PublicKey flipped = key;
        flipped.bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
        CHECK_FALSE(verify_signature(flipped, message, signature));
    }
    for (std::size_t bit = 0; bit < 512; ++bit) {
        Signature flipped = signature;
        flipped.bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
        CHECK_FALSE(verify_signature(key, message, flipped));
    }
    for (std::size_t bit = 0; bit < message.size() * 8; bit += 7) {
        Bytes flipped = message;
        flipped[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
        CHECK_FALSE(verify_signature(key, flipped, signature));
    }
}

TEST_CASE("envelope: Ed25519 decides its twelve edge cases as it did when the format was made") {  // A59
    std::ifstream in(std::string(FARDEL_SOURCE_DIR) + "/tests/bundle-format/ed25519_edges.txt");
    int accepted = 0;
    int refused = 0;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with('#'))
            continue;
        CAPTURE(line);
        std::istringstream fields(line);
        std::string verdict, key, message, signature;
        fields >> verdict >> key >> message >> signature;
        const bool good =
            verify_signature(PublicKey::parse(key).value(), bytes_of_hex(message), Signature::parse(signature).value());
        CHECK(good == (verdict == "accept"));
        ++(good ? accepted : refused);
    }
    CHECK(accepted == 1);
    CHECK(refused == 11);
}

TEST_CASE("envelope: S = L, zero keys and points of small order are refused") {  // A59
    const Bytes& message = signing_vector("signed-message");
    CHECK_FALSE(verify_signature(PublicKey{}, message, Signature{}));
    CHECK_FALSE(verify_signature(fixed_vector<PublicKey>("key-alice"), message, Signature{}));
    CHECK_FALSE(verify_signature(PublicKey{}, message, fixed_vector<Signature>("signature-alice")));
    CHECK_FALSE(verify_signature(PublicKey{}, {}, Signature{}));

    // With the identity as key and R, and S = 0, the equation holds for every message. S = L is 0 by another
    // name.
    PublicKey identity;
    identity.bytes[0] = 1;
    Signature zero;
    zero.bytes[0] = 1;
    CHECK_FALSE(verify_signature(identity, message, zero));
    const Bytes order = bytes_of("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
    std::memcpy(zero.bytes.data() + 32, order.data(), 32);
    CHECK_FALSE(verify_signature(identity, message, zero));

    // Alice's own signature with S + L.
    Signature shifted = fixed_vector<Signature>("signature-alice");
    unsigned carry = 0;
    for (std::size_t i = 0; i < 32; ++i) {
        carry += shifted.bytes[32 + i] + std::to_integer<unsigned>(order[i]);
        shifted.bytes[32 + i] = static_cast<std::uint8_t>(carry);
        carry >>= 8;
    }
    CHECK_FALSE(verify_signature(fixed_vector<PublicKey>("key-alice"), message, shifted));
}

TEST_CASE("envelope: signing replaces the author with the signer") {
    Statement statement = document_statement();
    statement.author = fixed_vector<PublicKey>("key-hub");
    const auto envelope = sign_statement(statement, *make_key_signer(secret_key("alice")));
    REQUIRE(envelope);
    CHECK(decode_statement(envelope->payload).value() == document_statement());
}

TEST_CASE("envelope: an invalid statement is not signed, and a signer's error is passed on") {
    Statement statement = document_statement();
    statement.name = "../core";
    CHECK(code_of(sign_statement(statement, *make_key_signer(secret_key("alice")))) == ErrorCode::malformed);
    BrokenSigner broken;
    CHECK(code_of(sign_statement(document_statement(), broken)) == ErrorCode::denied);
}

TEST_CASE("envelope: a second author signs the same payload, once") {
    const Envelope statement = statement_envelope();
    const auto cosigned = cosign_statement(statement, *make_key_signer(numbered_key(1)));
    REQUIRE(cosigned);
    CHECK(cosigned->payload == statement.payload);
    REQUIRE(cosigned->signatures.size() == 1);
    CHECK(cosigned->signatures[0].role == SignerRole::author);
    CHECK(verify_envelope_signature(*cosigned, cosigned->signatures[0]));
    CHECK(code_of(cosign_statement(statement, *make_key_signer(secret_key("alice")))) == ErrorCode::conflict);
    CHECK(code_of(cosign_statement(countersignature_envelope(), *make_key_signer(secret_key("hub")))) ==
          ErrorCode::malformed);
}

TEST_CASE("envelope: only what its author signed is countersigned, and only by a registry or release signer") {
    const auto hub = make_key_signer(secret_key("hub"));
    Envelope changed = statement_envelope();
    changed.signatures[0].signature.bytes[5] ^= 1;
    CHECK(code_of(countersign(changed, {}, *hub)) == ErrorCode::untrusted);
    changed = statement_envelope();
    changed.payload[70] ^= std::byte{1};
    CHECK(code_of(countersign(changed, {}, *hub)) == ErrorCode::untrusted);
    const auto by_other = cosign_statement(statement_envelope(), *make_key_signer(numbered_key(1)));
    CHECK(code_of(countersign(*by_other, {}, *hub)) == ErrorCode::untrusted);
    CHECK(code_of(countersign(countersignature_envelope(), {}, *hub)) == ErrorCode::malformed);
    CountersignRequest as_author;
    as_author.role = SignerRole::author;
    CHECK(code_of(countersign(statement_envelope(), as_author, *hub)) == ErrorCode::malformed);
}

TEST_CASE("signature: text is 128 lower-case digits") {
    const Signature signature = fixed_vector<Signature>("signature-alice");
    CHECK(Signature::parse(signature.hex()).value() == signature);
    CHECK(code_of(Signature::parse(signature.hex().substr(1))) == ErrorCode::malformed);
    CHECK(code_of(Signature::parse(signature.hex() + "0")) == ErrorCode::malformed);
    CHECK(code_of(Signature::parse(std::string(128, 'A'))) == ErrorCode::malformed);
    CHECK(code_of(Signature::parse("")) == ErrorCode::malformed);
}

TEST_CASE("key: new keys differ, and a seed always gives the same key") {
    const SecretKey one = SecretKey::generate();
    const SecretKey other = SecretKey::generate();
    CHECK(one.public_key() != other.public_key());
    CHECK(SecretKey::from_seed(one.seed()).public_key() == one.public_key());
    CHECK(key_id(fixed_vector<PublicKey>("key-alice")) == "03a107bff3ce10be");
}

}  // namespace fardel::tests::envelope_test
