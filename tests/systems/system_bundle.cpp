// Packs and verifies a bundle, for tests/systems/compare_bundles: it needs no more than FARDEL_PARTS=runtime, so it is
// built for every system. The key that signs is derived from one byte: two systems give the same file, byte by byte.
//
//     fardel_system_bundle pack FOLDER BUNDLE    as `fardel pack FOLDER --name tests/systems --version 1.0` does
//     fardel_system_bundle verify BUNDLE         proves the signature, all tables and all assets; prints the id
#include "bundle_forge/bundle_forge.h"

#include <fardel/format/bundle.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/format/file_source.h>
#include <fardel/sources/entry_plan.h>

#include <cstdio>
#include <string_view>

namespace fardel::tests {
namespace {

Status pack(const std::string& folder, const std::string& path) {
    FARDEL_TRY_ASSIGN(ScanResult scan, scan_sources({&folder, 1}, {.excludes = usual_excludes()}, nullptr));
    FARDEL_TRY_ASSIGN(BundlePlan plan, plan_entries(std::move(scan.entries)));
    plan.metadata.push_back({.key = "name", .value = std::string("tests/systems")});
    plan.metadata.push_back({.key = "version", .value = std::string("1.0")});
    FARDEL_TRY_ASSIGN(StagedBundle bundle, write_bundle(plan, path, {}));
    FARDEL_TRY_ASSIGN(const Envelope envelope,
                      sign_statement(statement_about(bundle.summary()), *make_key_signer(forge::test_key(1))));
    FARDEL_TRY(bundle.append(envelope));
    std::printf("%s\n", bundle.summary().bundle.hex().c_str());
    return bundle.commit();
}

Status verify(const std::string& path) {
    FARDEL_TRY_ASSIGN(const TrustPolicy policy,
                      make_policy(std::vector{PolicyKey{"author", forge::test_key(1).public_key()}}, {}));
    FARDEL_TRY_ASSIGN(const auto source, open_file_source(path));
    FARDEL_TRY_ASSIGN(const auto bundle,
                      Bundle::open(source, {.policy = &policy, .time = TrustTime::at({1'800'000'000})}));
    FARDEL_TRY(bundle->verify_tables());
    for (std::uint32_t asset = 0; asset < bundle->asset_count(); ++asset)
        FARDEL_TRY(bundle->verify_asset(AssetIndex{asset}));
    std::printf("%s\n", bundle->id().hex().c_str());
    return ok();
}

Status run(std::span<const std::string> words) {
    if (words.size() == 3 && words[0] == "pack")
        return pack(words[1], words[2]);
    if (words.size() == 2 && words[0] == "verify")
        return verify(words[1]);
    return Error(ErrorCode::malformed, "usage: fardel_system_bundle pack FOLDER BUNDLE | verify BUNDLE");
}

}  // namespace
}  // namespace fardel::tests

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (const fardel::Status status = fardel::tests::run(words); !status) {
        std::fprintf(stderr, "%s\n", status.error().text().c_str());
        return 1;
    }
}
