// Packs, verifies and mounts a bundle, for tests/systems/compare_bundles: it needs no more than FARDEL_PARTS=runtime,
// so it is built for every system. The key that signs is derived from one byte: two systems give the same file, byte by
// byte.
//
//     fardel_system_bundle pack FOLDER BUNDLE    as `fardel pack FOLDER --name tests/systems --version 1.0` does
//     fardel_system_bundle verify BUNDLE         proves the signature, all tables and all assets; prints the id
//     fardel_system_bundle mount BUNDLE          reads each name through a mount; prints what b3sum does of its file
#include "bundle_forge/bundle_forge.h"

#include <fardel/format/bundle.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/format/file_source.h>
#include <fardel/format/hash.h>
#include <fardel/sources/entry_plan.h>
#include <fardel/vfs/vfs.h>

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

Result<TrustPolicy> policy_of_key() {
    return make_policy(std::vector{PolicyKey{"author", forge::test_key(1).public_key()}}, {});
}

const TrustTime kTime = TrustTime::at({1'800'000'000});

Status verify(const std::string& path) {
    FARDEL_TRY_ASSIGN(const TrustPolicy policy, policy_of_key());
    FARDEL_TRY_ASSIGN(const auto source, open_file_source(path));
    FARDEL_TRY_ASSIGN(const auto bundle, Bundle::open(source, {.policy = &policy, .time = kTime}));
    FARDEL_TRY(bundle->verify_tables());
    for (std::uint32_t asset = 0; asset < bundle->asset_count(); ++asset)
        FARDEL_TRY(bundle->verify_asset(AssetIndex{asset}));
    std::printf("%s\n", bundle->id().hex().c_str());
    return ok();
}

// In pieces that fit no block.
Result<Hash> hash_of_file(const File& file) {
    std::vector<std::byte> piece(100'003);
    Hasher hasher;
    for (std::uint64_t offset = 0;;) {
        FARDEL_TRY_ASSIGN(const std::size_t size_bytes, file.read_at(offset, piece));
        if (size_bytes == 0)
            return hasher.finish();
        hasher.update(std::span(piece).first(size_bytes));
        offset += size_bytes;
    }
}

Status print_names(const Vfs& vfs, const std::string& folder) {
    FARDEL_TRY_ASSIGN(Listing listing, vfs.open_listing(folder.empty() ? "/" : folder, TreeView::names));
    for (;;) {
        FARDEL_TRY_ASSIGN(const std::optional<ListingEntry> entry, listing.next());
        if (!entry)
            return ok();
        const std::string path = folder + "/" + entry->name;
        if (entry->kind == NodeKind::folder) {
            FARDEL_TRY(print_names(vfs, path));
            continue;
        }
        FARDEL_TRY_ASSIGN(const File file, vfs.open(path));
        FARDEL_TRY_ASSIGN(const Hash hash, hash_of_file(file));
        std::printf("%s  .%s\n", hash.hex().c_str(), path.c_str());
    }
}

Status mount(const std::string& path) {
    FARDEL_TRY_ASSIGN(const TrustPolicy policy, policy_of_key());
    Vfs vfs;
    FARDEL_TRY(vfs.mount(path, {.policy = &policy, .time = kTime}));
    return print_names(vfs, "");
}

Status run(std::span<const std::string> words) {
    if (words.size() == 3 && words[0] == "pack")
        return pack(words[1], words[2]);
    if (words.size() == 2 && words[0] == "verify")
        return verify(words[1]);
    if (words.size() == 2 && words[0] == "mount")
        return mount(words[1]);
    return Error(ErrorCode::malformed, "usage: fardel_system_bundle pack FOLDER BUNDLE | (verify | mount) BUNDLE");
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
