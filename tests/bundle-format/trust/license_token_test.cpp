// Licence tokens: their bytes, their signatures, and what a policy decides.
#include "kit/record_family.h"
#include "signing_vectors.h"

#include <fardel/format/envelope.h>
#include <fardel/format/limits.h>
#include <fardel/format/trust_policy.h>

namespace fardel::tests::license_token_test {

constexpr UnixTime kTokenCreated{1'700'000'000};

LicenseToken document_token() {
    LicenseToken token;
    token.bundle = document_statement().bundle;
    token.created = kTokenCreated;
    token.expires = {1'800'000'000};
    token.issuer = fixed_vector<PublicKey>("key-hub");
    token.comment = "prüf";
    return token;
}

LicenseToken pattern_token() {
    LicenseToken token;
    token.pattern = "maps/*";
    token.created = kTokenCreated;
    token.expires = {1'731'536'000};
    token.issuer = fixed_vector<PublicKey>("key-hub");
    return token;
}

Bytes encoded_token(const LicenseToken& token) { return value_of(encode_license_token(token)); }

Envelope issued_by(SecretKey key, const LicenseToken& token) {
    const auto signer = make_key_signer(std::move(key));
    return value_of(sign_license_token(token, *signer));
}

// shop and other are accepted issuers for maps, nobody for the rest.
TrustPolicy license_policy(std::string_view more = "") {
    return value_of(TrustPolicy::parse("fardel-trust 1\nkey shop " + fixed_vector<PublicKey>("key-hub").hex() +
                                       "\nkey other " + numbered_key(7).public_key().hex() + "\nkey alice " +
                                       fixed_vector<PublicKey>("key-alice").hex() +
                                       "\nallow ** author=1:alice\nlicense maps/* shop,other\n" + std::string(more)));
}

BundleIdentity dm01() {
    return {.bundle = document_statement().bundle, .layout = {}, .name = "maps/dm01", .version = "1"};
}

ErrorCode refusal(const TrustPolicy& policy, std::vector<Envelope> tokens, std::optional<UnixTime> now) {
    return code_of(policy.verify_license(tokens, dm01(), now));
}

TEST_CASE("license token: the document's tokens have the document's bytes") {
    check_record_family(document_token(), signing_vector("license-token"), encoded_token, decode_license_token);
    check_record_family(pattern_token(), signing_vector("license-token-pattern"), encoded_token, decode_license_token);
}

TEST_CASE("license token: the document's file is made, and each flipped bit of it is refused") {  // A76
    const Bytes& golden = signing_vector("envelope-license-token");
    CHECK(value_of(encode_envelope(issued_by(secret_key("hub"), document_token()))) == golden);
    CHECK(value_of(license_token_of(value_of(parse_license_token(golden)))) == document_token());
    for (std::size_t bit = 0; bit < golden.size() * 8; ++bit) {
        CAPTURE(bit);
        Bytes flipped = golden;
        flipped[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
        CHECK_FALSE(parse_license_token(flipped));
    }
    for (std::size_t length = 0; length < golden.size(); ++length)
        CHECK_FALSE(parse_license_token(std::span(golden).first(length)));
    CHECK(code_of(decode_trailer(golden)) == ErrorCode::unsupported);  // never in a bundle
    CHECK(code_of(parse_license_token(signing_vector("envelope-statement"))) == ErrorCode::malformed);
}

TEST_CASE("license token: it is about either a bundle or a pattern, and ends") {
    const auto refused = [](auto change) {
        LicenseToken token = document_token();
        change(token);
        return code_of(encode_license_token(token));
    };
    CHECK(refused([](LicenseToken& token) { token.pattern = "a"; }) == ErrorCode::malformed);
    CHECK(refused([](LicenseToken& token) { token.bundle = {}; }) == ErrorCode::malformed);
    CHECK(refused([](LicenseToken& token) { token.expires = {}; }) == ErrorCode::malformed);
    CHECK(refused([](LicenseToken& token) { token.expires = token.created; }) == ErrorCode::malformed);
    CHECK(refused([](LicenseToken& token) {
              token.bundle = {};
              token.pattern = "a//b";
          }) == ErrorCode::malformed);
    CHECK(refused([](LicenseToken& token) { token.comment = std::string(limits::kCommentBytesMax + 1, 'a'); }) ==
          ErrorCode::limit);
    CHECK(pattern_token().is_about({}, "maps/x"));
    CHECK_FALSE(pattern_token().is_about({}, "maps/x/y"));
    CHECK_FALSE(pattern_token().is_about({}, ""));
    CHECK(document_token().is_about(document_statement().bundle, ""));
    CHECK_FALSE(document_token().is_about({}, "maps/dm01"));
}

TEST_CASE("license token: a policy accepts those of its issuers, for their bundles, until they end") {  // A76
    const TrustPolicy policy = license_policy();
    const Envelope good = issued_by(secret_key("hub"), document_token());
    const Envelope by_pattern = issued_by(secret_key("hub"), pattern_token());
    const Envelope by_stranger = issued_by(numbered_key(9), document_token());
    const Envelope by_author = issued_by(secret_key("alice"), document_token());
    CHECK(policy.verify_license(std::vector{good}, dm01(), kTokenCreated));
    CHECK(policy.verify_license(std::vector{by_stranger, good}, dm01(), kTokenCreated));
    CHECK(policy.verify_license(std::vector{issued_by(numbered_key(7), document_token())}, dm01(), kTokenCreated));
    CHECK(policy.verify_license(std::vector{by_pattern}, dm01(), UnixTime{1'731'535'999}));
    CHECK(refusal(policy, {}, kTokenCreated) == ErrorCode::missing);
    CHECK(refusal(policy, {by_stranger}, kTokenCreated) == ErrorCode::untrusted);
    CHECK(refusal(policy, {by_author}, kTokenCreated) == ErrorCode::untrusted);
    CHECK(refusal(policy, {by_stranger, by_pattern}, UnixTime{1'731'536'000}) == ErrorCode::expired);
    CHECK(policy.verify_license(std::vector{by_pattern}, dm01(), std::nullopt));  // dates are ignored

    LicenseToken of_other = document_token();
    of_other.bundle.bytes[0] ^= 1;
    CHECK(refusal(policy, {issued_by(secret_key("hub"), of_other)}, kTokenCreated) == ErrorCode::missing);
    Envelope forged = good;
    forged.signatures[0].signature.bytes[0] ^= 1;
    CHECK(refusal(policy, {forged}, kTokenCreated) == ErrorCode::untrusted);
    Envelope renamed = by_stranger;  // a stranger's signature under the shop's name
    LicenseToken claimed = document_token();
    renamed.payload = encoded_token(claimed);
    CHECK(refusal(policy, {renamed}, kTokenCreated) == ErrorCode::untrusted);
    Envelope retyped = good;
    retyped.type = EnvelopeType::statement;
    CHECK(refusal(policy, {retyped}, kTokenCreated) == ErrorCode::missing);

    const std::string hub = fixed_vector<PublicKey>("key-hub").hex();
    CHECK(refusal(license_policy("revoke key " + hub + " stolen\n"), {good}, kTokenCreated) == ErrorCode::revoked);
    BundleIdentity elsewhere = dm01();
    elsewhere.name = "Maps/dm01";
    CHECK(code_of(policy.verify_license(std::vector{good}, elsewhere, kTokenCreated)) == ErrorCode::untrusted);
    elsewhere.name = "";
    CHECK(code_of(policy.verify_license(std::vector{good}, elsewhere, kTokenCreated)) == ErrorCode::untrusted);
    CHECK(code_of(policy.verify_license(std::vector<Envelope>(limits::kLicenseTokensMax + 1), dm01(), {})) ==
          ErrorCode::limit);
}

TEST_CASE("license rule: a policy keeps its lines, and refuses unknown labels and patterns") {
    const TrustPolicy policy = license_policy("license ** other\nunlicensed allow\n");
    REQUIRE(policy.rules().licenses.size() == 2);
    CHECK(policy.rules().unlicensed_allowed);
    CHECK(value_of(TrustPolicy::parse(policy.format())).rules() == policy.rules());
    CHECK(value_of(TrustPolicy::make(policy.rules())).rules() == policy.rules());
    for (const std::string line :
         {"license maps/* nobody", "license a//b", "license", "license maps/*", "license maps/* ", "unlicensed deny"})
        CHECK(code_of(TrustPolicy::parse("fardel-trust 1\n" + line + "\n")) == ErrorCode::malformed);
}

TEST_CASE("license token: a policy may spell its lines with licence, which are the same") {
    const auto policy = [](const std::string& word, const std::string& allow) {
        return value_of(TrustPolicy::parse("fardel-trust 1\nkey shop " + std::string(64, 'a') + "\n" + word +
                                           " maps/* shop\n" + allow + " allow\n"));
    };
    const TrustPolicy one = policy("license", "unlicensed");
    CHECK(policy("licence", "unlicenced").rules() == one.rules());
    CHECK(policy("licence", "unlicenced").format() == one.format());
}

}  // namespace fardel::tests::license_token_test
