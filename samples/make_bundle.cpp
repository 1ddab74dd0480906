// Writes a small signed bundle: two assets from memory, one of them under two names, and a policy that trusts its
// author.
//
//     sample_make_bundle FOLDER      writes FOLDER/hello.fardel and FOLDER/trust.policy
#include <fardel/format/bundle_writer.h>
#include <fardel/format/trust_policy.h>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>

namespace {

fardel::PlannedAsset text_asset(const std::string& key, const std::string& text) {
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    return {.source = fardel::make_memory_blob({bytes, bytes + text.size()}), .key = key, .content_type = "text/plain"};
}

fardel::Status name_asset(fardel::BundlePlan& plan, std::uint32_t asset, const std::string& name) {
    FARDEL_TRY_ASSIGN(auto parsed, fardel::AssetName::parse(name));
    plan.names.push_back({.name = std::move(parsed), .variants = {{.asset = asset}}});
    return fardel::ok();
}

fardel::Status make_bundle(const std::string& folder) {
    fardel::BundlePlan plan;
    plan.assets.push_back(text_asset("texts/greeting.txt", "Hello from a bundle.\n"));
    plan.assets.push_back(text_asset("texts/farewell.txt", "Goodbye.\n"));
    FARDEL_TRY(name_asset(plan, 0, "texts/greeting.txt"));
    FARDEL_TRY(name_asset(plan, 0, "texts/welcome.txt"));  // the same asset, stored once
    FARDEL_TRY(name_asset(plan, 1, "texts/farewell.txt"));
    plan.metadata.push_back({.key = "name", .value = std::string("hello")});
    plan.metadata.push_back({.key = "version", .value = std::string("1.0")});

    FARDEL_TRY_ASSIGN(auto staged, fardel::write_bundle(plan, folder + "/hello.fardel", {}));

    // The author signs what the bundle is. The keys of real bundles are in key files (read_key_file).
    auto signer = fardel::make_key_signer(fardel::SecretKey::generate());
    const fardel::BundleWriteSummary& summary = staged.summary();
    fardel::Statement statement = fardel::statement_about(summary);
    statement.created = {static_cast<std::uint64_t>(std::time(nullptr))};
    FARDEL_TRY_ASSIGN(const auto envelope, fardel::sign_statement(statement, *signer));
    FARDEL_TRY(staged.append(envelope));
    FARDEL_TRY(staged.commit());  // visible from here on

    const fardel::PolicyKey author{.label = "me", .key = signer->public_key()};
    FARDEL_TRY_ASSIGN(const auto policy, fardel::make_policy({&author, 1}, {}, "hello"));
    std::ofstream(folder + "/trust.policy", std::ios::binary) << policy.format();
    std::printf("%s: %llu assets under %llu names\n", summary.bundle.hex().c_str(),
                static_cast<unsigned long long>(summary.assets), static_cast<unsigned long long>(summary.names));
    return fardel::ok();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    if (const fardel::Status status = make_bundle(argv[1]); !status) {
        std::fprintf(stderr, "%s\n", status.error().text().c_str());
        return 1;
    }
}
