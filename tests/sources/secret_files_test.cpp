#include <fardel/sources/secret_files.h>

#include <fardel/sources/entry_plan.h>

#include "kit/blobs.h"
#include "kit/files.h"

namespace fardel::tests::secret_files_test {
namespace {

constexpr std::string_view kPem = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----\n";

ScanResult scan(const ScratchFolder& folder) {
    const std::string path = folder.root().string();
    return value_of(scan_sources(std::span(&path, 1), {}, nullptr));
}

const SourceEntry& entry_of(const ScanResult& scan, std::string_view name) {
    const auto found =
        std::ranges::find(scan.entries, name, [](const SourceEntry& entry) { return entry.name.view(); });
    REQUIRE(found != scan.entries.end());
    return *found;
}

}  // namespace

TEST_CASE("secret files: names of files with passwords and keys are known, in any folder and case") {  // A151
    for (const char* const name :
         {".env", "a/.env", ".ENV", ".env.production", "x/y/.Env.local", "id_rsa", "keys/id_ed25519", "id_ecdsa",
          "ID_RSA", ".netrc", "_netrc", ".git-credentials", ".pgpass", ".htpasswd"})
        CHECK_MESSAGE(has_secret_name(name), name);
    for (const char* const name : {"env", "a.env", ".environment", "x.env.txt", ".env/x", "id_rsa.pub",
                                   "id_ed25519.pub", "netrc", "maps/id_rsa/map.bsp", "author.key", "cert.pem", ""})
        CHECK_MESSAGE(!has_secret_name(name), name);
}

TEST_CASE("secret files: the first bytes of secret keys are known; public keys and certificates are content") {
    CHECK(looks_like_secret_key("fardel-secret-key 1\n"));
    CHECK(looks_like_secret_key(kPem));
    CHECK(looks_like_secret_key("-----BEGIN OPENSSH PRIVATE KEY-----\n"));
    CHECK(looks_like_secret_key("Bag Attributes\n-----BEGIN RSA PRIVATE KEY-----\n"));
    CHECK(looks_like_secret_key("untrusted comment: minisign encrypted secret key\n" + std::string(212, 'R') + "\n"));
    CHECK(looks_like_secret_key("//registry.npmjs.org/:_authToken=npm_abc\n"));
    CHECK_FALSE(looks_like_secret_key("untrusted comment: minisign public key\n" + std::string(56, 'R') + "\n"));
    CHECK_FALSE(looks_like_secret_key("-----BEGIN CERTIFICATE-----\n"));
    CHECK_FALSE(looks_like_secret_key("-----BEGIN PUBLIC KEY-----\n"));
    CHECK_FALSE(looks_like_secret_key("registry=https://registry.npmjs.org/\n"));
    CHECK_FALSE(looks_like_secret_key("fardel-public-key 1\n"));
    CHECK_FALSE(looks_like_secret_key(""));
}

TEST_CASE(
    "secret files: a secret name is refused at once, with the file and what to do, unless it is allowed") {  // A151
    const ScratchFolder folder;
    folder.write("a.txt", "text");
    folder.write("server/.env", "PASSWORD=1");
    ScanResult found = scan(folder);
    const Status refused = refuse_secrets(found, {});
    check_error(refused, ErrorCode::denied, folder.path("server/.env"));
    check_error(refused, ErrorCode::denied, "allow_secrets = ['server/.env']");
    check_error(refused, ErrorCode::denied, "--allow-secret");
    found = scan(folder);
    CHECK(code_of(refuse_secrets(found, std::vector<std::string>{"server", ".env", "*", "**/.env"})) ==
          ErrorCode::denied);
    found = scan(folder);
    CHECK(refuse_secrets(found, std::vector<std::string>{"server/.env"}));
    CHECK(*read_blob_text(*entry_of(found, "server/.env").blob) == "PASSWORD=1");
}

TEST_CASE("secret files: a secret key is refused when it is read, up to 16 KiB, unless it is allowed") {  // A151
    const ScratchFolder folder;
    const std::string longest = std::string(kPem) + std::string((16u << 10) - kPem.size(), 'x');
    folder.write("author.key", kPem);
    folder.write("longest.pem", longest);
    folder.write("longer.pem", longest + "x");
    folder.write("text.txt", std::string(3000, 'a') + "b");
    ScanResult found = scan(folder);
    REQUIRE(refuse_secrets(found, std::vector<std::string>{"allowed.key"}));
    for (const char* const name : {"author.key", "longest.pem"}) {
        check_error(entry_of(found, name).blob->open(), ErrorCode::denied, folder.path(name));
        check_error(entry_of(found, name).blob->open_bytes(), ErrorCode::denied, "--allow-secret");
    }
    CHECK(*read_blob_text(*entry_of(found, "longer.pem").blob) == longest + "x");
    CHECK(*read_blob_text(*entry_of(found, "text.txt").blob) == std::string(3000, 'a') + "b");
    CHECK(value_of(entry_of(found, "text.txt").blob->open_bytes())->size_bytes() == 3001);
    ScanResult all = scan(folder);
    REQUIRE(refuse_secrets(all, std::vector<std::string>{"author.key"}));
    CHECK(*read_blob_text(*entry_of(all, "author.key").blob) == kPem);
    CHECK(entry_of(all, "text.txt").blob->find_version() == entry_of(scan(folder), "text.txt").blob->find_version());
}

TEST_CASE("secret files: a plan has no judge of what was read, and a file that becomes a secret then is a conflict") {
    const ScratchFolder folder;
    folder.write("text.txt", "text");
    ScanResult found = scan(folder);
    const auto unjudged = entry_of(found, "text.txt").blob;
    REQUIRE(refuse_secrets(found, {}));
    const auto judged = entry_of(found, "text.txt").blob;
    CHECK(judged != unjudged);
    CHECK(without_judge(judged) == unjudged);
    CHECK(without_judge(unjudged) == unjudged);
    const BundlePlan plan = value_of(plan_entries(std::move(found.entries)));
    CHECK(plan.assets.front().source == unjudged);
    folder.write("text.txt", kPem);
    CHECK(code_of(plan.assets.front().source->open()) == ErrorCode::conflict);
}

}  // namespace fardel::tests::secret_files_test
