// Reading the provenance of a build, which may be anybody's.
#include <fardel/packer/provenance.h>

#include "kit/ids.h"
#include "kit/test.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::provenance_claim_test {

using nlohmann::json;

const std::string kBundle(64, 'a'), kFileHash(64, 'b'), kRead(64, 'c'), kKey(64, 'd');

json golden() {
    json statement;
    statement["_type"] = "https://in-toto.io/Statement/v1";
    statement["predicateType"] = "https://slsa.dev/provenance/v1";
    statement["subject"] = {
        {{"name", "game.fardel"}, {"digest", {{"sha256", kFileHash}}}, {"annotations", {{"bundle", kBundle}}}}};
    json& definition = statement["predicate"]["buildDefinition"];
    definition["buildType"] = "urn:fardel:build:1";
    definition["externalParameters"] = {
        {"project", "studio/game"},
        {"bundles", {{{"file", "game.fardel"}, {"name", "studio/game"}, {"version", "1.0"}, {"target", "pc"}}}}};
    definition["resolvedDependencies"] = {
        {{"name", "a.txt"}, {"digest", {{"blake3", kRead}}}, {"annotations", {{"kind", "source"}}}}};
    statement["predicate"]["runDetails"]["byproducts"] = {
        {{"name", "up → a.up"}, {"digest", {{"fardelBuildKey", kKey}}}, {"annotations", {{"kind", "job"}}}}};
    return statement;
}

std::unique_ptr<Signer> test_signer() {
    const std::array<std::byte, 32> seed{};
    return make_key_signer(SecretKey::from_seed(seed));
}

json golden_envelope() { return json::parse(sign_provenance(golden().dump(), *test_signer()).value()); }

ErrorCode refusal(const std::string& text) {
    const auto file = parse_provenance(text);
    REQUIRE_FALSE(file);
    return file.error().code();
}

// What is refused of a golden statement after `change`, alone and in an envelope whose signature is right.
template <class Change>
ErrorCode refusal_after(const Change& change) {
    json statement = golden();
    change(statement);
    const ErrorCode code = refusal(statement.dump());
    CHECK(refusal(sign_provenance(statement.dump(), *test_signer()).value()) == code);
    return code;
}

TEST_CASE("provenance claim: has what the statement says, alone and in an envelope") {
    const ProvenanceFile plain = value_of(parse_provenance(golden().dump()));
    CHECK(plain.signatures.empty());
    CHECK(plain.claim.project == "studio/game");
    REQUIRE(plain.claim.bundles.size() == 1);
    const ClaimedBundle& bundle = plain.claim.bundles[0];
    CHECK(bundle.bundle.hex() == kBundle);
    CHECK(bundle.sha256 == kFileHash);
    CHECK(bundle.file == "game.fardel");
    CHECK(bundle.name == "studio/game");
    CHECK(bundle.version == "1.0");
    CHECK(bundle.target == "pc");
    CHECK(plain.claim.read == std::vector<KeyPart>{{"source", "a.txt", kRead}});
    CHECK(plain.claim.jobs == std::vector<KeyPart>{{"job", "up → a.up", kKey}});

    const ProvenanceFile in_envelope = value_of(parse_provenance(golden_envelope().dump()));
    CHECK(in_envelope.claim.read == plain.claim.read);
    REQUIRE(in_envelope.signatures.size() == 1);
    CHECK(in_envelope.signatures[0].key_id == test_signer()->public_key().hex());
    CHECK(verify_signature(test_signer()->public_key(), std::as_bytes(std::span(in_envelope.signed_text)),
                           in_envelope.signatures[0].signature));
}

TEST_CASE("provenance claim: each proper prefix is refused") {
    for (const json& whole : {golden(), golden_envelope()}) {
        const std::string text = whole.dump();
        for (std::size_t size = 0; size < text.size(); ++size)
            CHECK_FALSE(parse_provenance(text.substr(0, size)));
    }
}

TEST_CASE("provenance claim: values nested deeply, and a key twice at any depth, are refused") {  // A161
    const std::string deep(100'000, '[');
    CHECK(refusal(deep) == ErrorCode::malformed);
    CHECK(refusal("{\"predicate\":" + deep + std::string(100'000, ']') + "}") == ErrorCode::malformed);
    const std::string text = golden().dump();
    const std::string twice[] = {"\"_type\":", "\"sha256\":", "\"blake3\":", "\"buildType\":", "\"byproducts\":"};
    for (const std::string& key : twice) {
        std::string changed = text;
        const std::size_t at = changed.find(key);
        REQUIRE(at != std::string::npos);
        changed.insert(at, key + "\"other\",");
        CHECK(refusal(changed) == ErrorCode::malformed);
        CHECK(refusal(sign_provenance(changed, *test_signer()).value()) == ErrorCode::malformed);
    }
    // Not one object: the same key in two of them.
    CHECK(parse_provenance("{\"more\":[{\"a\":1},{\"a\":2},{\"b\":{\"a\":3},\"a\":4}]," + text.substr(1)));
}

TEST_CASE("provenance claim: statements of other types are unsupported, and what is absent or odd is malformed") {
    CHECK(refusal("[]") == ErrorCode::malformed);
    CHECK(refusal("{}") == ErrorCode::malformed);
    CHECK(refusal_after([](json& one) { one["_type"] = "https://in-toto.io/Statement/v2"; }) == ErrorCode::malformed);
    CHECK(refusal_after([](json& one) { one["predicateType"] = "https://spdx.dev/Document"; }) ==
          ErrorCode::unsupported);
    const auto definition = [](json& one) -> json& { return one["predicate"]["buildDefinition"]; };
    CHECK(refusal_after([&](json& one) { definition(one)["buildType"] = "urn:other"; }) == ErrorCode::unsupported);
    CHECK(refusal_after([](json& one) { one["predicate"] = 7; }) == ErrorCode::unsupported);
    const auto is_malformed = [](const auto& change) { CHECK(refusal_after(change) == ErrorCode::malformed); };
    is_malformed([](json& one) { one.erase("subject"); });
    is_malformed([](json& one) { one["subject"] = {"text"}; });
    is_malformed([](json& one) { one["subject"] = json::array(); });
    is_malformed([](json& one) { one["subject"][0]["name"] = "other.fardel"; });
    is_malformed([](json& one) { one["subject"][0]["annotations"]["bundle"] = "AB"; });
    is_malformed([](json& one) { one["subject"][0]["digest"] = {{"sha1", "0"}}; });
    is_malformed([&](json& one) { definition(one)["resolvedDependencies"] = 7; });
    is_malformed([&](json& one) { definition(one)["resolvedDependencies"][0]["name"] = 7; });
    is_malformed([&](json& one) { definition(one)["resolvedDependencies"][0]["digest"]["blake3"] = "short"; });
    is_malformed([&](json& one) { definition(one)["resolvedDependencies"][0]["annotations"] = nullptr; });
    is_malformed([](json& one) { one["predicate"]["runDetails"]["byproducts"][0]["digest"] = json::object(); });
}

TEST_CASE("provenance claim: envelopes with odd payloads, or with more than 16 signatures, are refused") {
    const auto refused = [](const auto& change) {
        json envelope = golden_envelope();
        change(envelope);
        return refusal(envelope.dump());
    };
    CHECK(refused([](json& one) { one["payloadType"] = "text/plain"; }) == ErrorCode::unsupported);
    CHECK(refused([](json& one) { one.erase("payloadType"); }) == ErrorCode::unsupported);
    CHECK(refused([](json& one) { one["payload"] = "e30"; }) == ErrorCode::malformed);
    CHECK(refused([](json& one) { one["payload"] = "e30=\n"; }) == ErrorCode::malformed);
    CHECK(refused([](json& one) { one.erase("payload"); }) == ErrorCode::malformed);
    CHECK(refused([](json& one) { one["signatures"] = "none"; }) == ErrorCode::malformed);
    CHECK(refused([](json& one) { one["signatures"][0]["sig"] = "Zm9v"; }) == ErrorCode::malformed);
    json envelope = golden_envelope();
    while (envelope["signatures"].size() < 16)
        envelope["signatures"].push_back(envelope["signatures"][0]);
    CHECK(value_of(parse_provenance(envelope.dump())).signatures.size() == 16);
    envelope["signatures"].push_back(envelope["signatures"][0]);
    CHECK(refusal(envelope.dump()) == ErrorCode::limit);
}

}  // namespace fardel::tests::provenance_claim_test
