// Keys and signatures through fardel_tools.h, judged by policies through fardel.h.
#include <fardel/tools/fardel_tools.h>
#include <fardel/vfs/fardel.h>

#include "kit/files.h"

#include <fardel/format/signer.h>
#include <fardel/format/trust_policy.h>

#include <cstring>

namespace fardel::tests::sign_functions_test {

std::string write_bundle(const fs::path& folder, fardel_signer* signer) {
    const std::string path = (folder / "made.fardel").string();
    fardel_plan* plan = nullptr;
    REQUIRE(fardel_plan_create(&plan, nullptr) == FARDEL_OK);
    fardel_planned_asset asset = FARDEL_PLANNED_ASSET_INIT;
    asset.bytes = "x";
    asset.size_bytes = 1;
    REQUIRE(fardel_plan_add_asset(plan, &asset, nullptr, nullptr) == FARDEL_OK);
    REQUIRE(fardel_plan_add_name(plan, "a", 0, nullptr, 0, nullptr) == FARDEL_OK);
    REQUIRE(fardel_plan_set_text(plan, FARDEL_NO_ASSET, "name", "made", nullptr) == FARDEL_OK);
    fardel_write_options options = FARDEL_WRITE_OPTIONS_INIT;
    options.signer = signer;
    fardel_error error = FARDEL_ERROR_INIT;
    REQUIRE_MESSAGE(fardel_plan_write(plan, path.c_str(), &options, &error) == FARDEL_OK, error.text);
    fardel_plan_destroy(plan);
    return path;
}

fardel_code verify(const std::string& path, const fardel_public_key& key, std::uint64_t& errors) {
    PublicKey author;
    std::memcpy(author.bytes.data(), key.bytes, sizeof key.bytes);
    const PolicyKey listed{.label = "me", .key = author};
    const std::string policy = value_of(make_policy({&listed, 1}, {}, "made")).format();
    fardel_verify_options options = FARDEL_VERIFY_OPTIONS_INIT;
    options.policy_text = policy.c_str();
    fardel_verified_bundle verified = FARDEL_VERIFIED_BUNDLE_INIT;
    const fardel_code code = fardel_verify_file(path.c_str(), &options, &verified, nullptr);
    errors = verified.errors;
    return code;
}

TEST_CASE("sign: a key pair is created once, and signs what its policy accepts") {
    const ScratchFolder folder;
    const std::string key_path = (folder.root() / "author.key").string();
    fardel_public_key key{};
    REQUIRE(fardel_key_create(key_path.c_str(), nullptr, "mine", &key, nullptr) == FARDEL_OK);
    CHECK(fardel_key_create(key_path.c_str(), nullptr, nullptr, nullptr, nullptr) == FARDEL_ERROR_CONFLICT);
    CHECK(value_of(read_public_key_file(key_path + ".pub")).comment == "mine");
    fardel_signer* signer = nullptr;
    REQUIRE(fardel_signer_open(key_path.c_str(), nullptr, &signer, nullptr) == FARDEL_OK);
    const fardel_public_key opened = fardel_signer_key(signer);
    CHECK(std::memcmp(opened.bytes, key.bytes, sizeof key.bytes) == 0);

    const std::string path = write_bundle(folder.root(), nullptr);
    std::uint64_t errors = 0;
    CHECK(verify(path, key, errors) == FARDEL_OK);
    CHECK(errors > 0);
    REQUIRE(fardel_sign_file(path.c_str(), signer, nullptr, nullptr) == FARDEL_OK);
    CHECK(verify(path, key, errors) == FARDEL_OK);
    CHECK(errors == 0);
    const std::string before = read_file(path);
    CHECK(fardel_sign_file(path.c_str(), signer, nullptr, nullptr) == FARDEL_ERROR_CONFLICT);
    fardel_sign_options options = FARDEL_SIGN_OPTIONS_INIT;
    options.expires_s = 1;
    CHECK(fardel_sign_file(path.c_str(), signer, &options, nullptr) == FARDEL_ERROR_EXPIRED);
    CHECK(read_file(path) == before);

    flip_bit(path, 5000);
    CHECK(fardel_sign_file(path.c_str(), signer, nullptr, nullptr) != FARDEL_OK);
    write_bundle(folder.root(), signer);
    CHECK(verify(path, key, errors) == FARDEL_OK);
    CHECK(errors == 0);
    fardel_signer_close(signer);
}

TEST_CASE("sign: an encrypted key needs its passphrase") {
    const ScratchFolder folder;
    const std::string key_path = (folder.root() / "author.key").string();
    REQUIRE(fardel_key_create(key_path.c_str(), "open sesame", nullptr, nullptr, nullptr) == FARDEL_OK);
    fardel_signer* signer = nullptr;
    CHECK(fardel_signer_open(key_path.c_str(), nullptr, &signer, nullptr) == FARDEL_ERROR_DENIED);
    CHECK(signer == nullptr);
    CHECK(fardel_signer_open(key_path.c_str(), "open sesame", &signer, nullptr) == FARDEL_OK);
    fardel_signer_close(signer);
}

TEST_CASE("sign: a caller's own signer signs, and a wrong signature is never written") {
    const ScratchFolder folder;
    SecretKey secret = SecretKey::generate();
    fardel_public_key key{};
    std::memcpy(key.bytes, secret.public_key().bytes.data(), sizeof key.bytes);
    struct Token {
        SecretKey* key;
        fardel_code code;
        bool lies;
    } token{&secret, FARDEL_OK, false};
    fardel_signer* signer = nullptr;
    REQUIRE(fardel_signer_create(
                &key,
                [](void* context, const void* message, std::size_t size, std::uint8_t signature[64]) {
                    auto& asked = *static_cast<Token*>(context);
                    const Signature made = asked.key->sign({static_cast<const std::byte*>(message), size});
                    std::memcpy(signature, made.bytes.data(), made.bytes.size());
                    if (asked.lies)
                        signature[0] ^= 1;
                    return asked.code;
                },
                &token, &signer, nullptr) == FARDEL_OK);
    const std::string path = write_bundle(folder.root(), nullptr);
    const std::string before = read_file(path);
    token.lies = true;
    CHECK(fardel_sign_file(path.c_str(), signer, nullptr, nullptr) == FARDEL_ERROR_CORRUPT);
    token = {&secret, FARDEL_ERROR_CANCELLED, false};
    CHECK(fardel_sign_file(path.c_str(), signer, nullptr, nullptr) == FARDEL_ERROR_CANCELLED);
    CHECK(read_file(path) == before);
    token.code = FARDEL_OK;
    CHECK(fardel_sign_file(path.c_str(), signer, nullptr, nullptr) == FARDEL_OK);
    std::uint64_t errors = 0;
    CHECK(verify(path, key, errors) == FARDEL_OK);
    CHECK(errors == 0);
    fardel_signer_close(signer);
}

}  // namespace fardel::tests::sign_functions_test
