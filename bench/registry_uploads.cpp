// The uploads of bench/registry_flood: bundles that cost their authors little and a registry as much as it lets them.
//
//     fardel_registry_uploads URL COUNT KEYS FILE
//
// Every second one has as many requirements as a registry takes, and the others a licence of 60 kB. Prints how many
// were accepted, what became of the others, and the bytes that were sent. FILE has the bundle that is sent, and is
// removed.

#include <fardel/format/bundle_writer.h>
#include <fardel/format/file_source.h>
#include <fardel/format/hash.h>
#include <fardel/format/signer.h>
#include <fardel/format/statement.h>
#include <fardel/hosting/registry_client.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>

namespace fardel {
namespace {

UnixTime now() { return {static_cast<std::uint64_t>(std::time(nullptr))}; }

std::vector<std::byte> bytes_of(const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

std::string required_name(unsigned number) {
    std::string name = "mods/" + std::to_string(1000 + number);
    name.resize(100, 'n');
    return name;
}

// The first are what others require.
BundlePlan plan_of(unsigned number) {
    BundlePlan plan;
    const bool is_required = number < kRegistryRequirementsMax;
    const std::string name = is_required ? required_name(number) : "mods/h" + std::to_string(number);
    plan.assets.push_back({.source = make_memory_blob(bytes_of(name)), .key = name, .content_type = "text/plain"});
    plan.names.push_back({.name = *AssetName::parse(name + "/x.txt"), .variants = {{.asset = 0}}});
    plan.metadata = {{"name", name}, {"version", std::string(64, '5')}};
    if (is_required)
        return plan;
    if (number % 2 == 0) {
        plan.metadata.push_back({"licence", std::string(60'000, 'L')});
        return plan;
    }
    for (unsigned i = 0; i < kRegistryRequirementsMax; ++i) {
        plan.metadata.push_back(
            {"requires." + required_name(i), ">= " + std::string(64, '1') + ", <= " + std::string(64, '9') + ", > " +
                                                 std::string(64, '2') + ", > " + std::string(45, '3')});
    }
    return plan;
}

Result<std::string> upload(RegistryClient& client, unsigned number, unsigned keys, const std::string& path,
                           std::uint64_t& sent_bytes) {
    Hash seed = blake3(bytes_of("key " + std::to_string(number % keys)));
    std::array<std::byte, 32> seed_bytes;
    std::memcpy(seed_bytes.data(), seed.bytes.data(), seed_bytes.size());
    const auto signer = make_key_signer(SecretKey::from_seed(seed_bytes));
    FARDEL_TRY_ASSIGN(auto staged, write_bundle(plan_of(number), path, {}));
    Statement statement = statement_about(staged.summary());
    statement.created = now();
    FARDEL_TRY_ASSIGN(const Envelope envelope, sign_statement(statement, *signer));
    FARDEL_TRY(staged.append(envelope));
    const BundleId id = staged.summary().bundle;
    FARDEL_TRY(staged.commit());
    FARDEL_TRY_ASSIGN(const auto file, open_file_source(path));
    sent_bytes += file->size_bytes();
    FARDEL_TRY_ASSIGN(const RegistryReply reply, client.upload(*file, id, *signer, now, {}));
    const std::string key = "\"reason\": \"";
    const auto at = reply.text.find(key);
    return reply.status == 201 ? "accepted"
           : at == std::string::npos
               ? std::to_string(reply.status)
               : reply.text.substr(at + key.size(), reply.text.find('"', at + key.size()) - at - key.size());
}

int run(const std::string& url, unsigned count, unsigned keys, const std::string& path) {
    const auto client = RegistryClient::open(url, {});
    if (!client) {
        std::fprintf(stderr, "%s\n", client.error().text().c_str());
        return 1;
    }
    std::map<std::string, unsigned> outcomes;
    std::uint64_t sent_bytes = 0;
    for (unsigned i = 0; i < count; ++i) {
        const auto outcome = upload(**client, i, keys, path, sent_bytes);
        ++outcomes[outcome ? *outcome : outcome.error().text()];
        std::remove(path.c_str());
    }
    for (const auto& [outcome, number] : outcomes)
        std::printf("%s %u\n", outcome.c_str(), number);
    std::printf("sent_bytes %llu\n", static_cast<unsigned long long>(sent_bytes));
    return 0;
}

}  // namespace
}  // namespace fardel

int main(int argc, char** argv) {
    if (argc != 5) {
        std::fputs("usage: fardel_registry_uploads URL COUNT KEYS FILE\n", stderr);
        return 2;
    }
    return fardel::run(argv[1], static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)),
                       static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10)), argv[4]);
}
