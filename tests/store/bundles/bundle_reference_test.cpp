// Bundles that a store only refers to: their bytes stay in files that the store does not own.
#include "kit/bundles.h"
#include "kit/emulator.h"
#include "kit/files.h"
#include "packs/pack_reference.h"

#include <fardel/store/bundle_reference.h>
#include <fardel/store/bundle_store.h>
#include <fardel/store/retention.h>

namespace fardel::tests::bundle_reference_test {

Bytes referred_bundle(std::string_view text, std::string_view version) {
    return BundleMaker().add_data("a.bin", text).add("version.txt", version).write_quickly();
}

BundleStore referring_store(const ScratchFolder& scratch) {
    return value_of(BundleStore::open(scratch.path("store"), true));
}

// The same size and other bytes, in the middle of a block.
Bytes changed(Bytes bytes) {
    bytes[bytes.size() / 2] ^= std::byte{1};
    return bytes;
}

struct ReferringStore {
    const ScratchFolder scratch;
    const BundleStore store = referring_store(scratch);
};

TEST_CASE_FIXTURE(ReferringStore,
                  "bundle reference: a file is added without a copy, read, exported and shared with later bundles") {
    const std::string noise = noise_text(400'000, 1);
    const Bytes first = referred_bundle(noise, "1");
    const Bytes second = referred_bundle(noise, "2");
    const std::string path = scratch.write("tree/first.fardel", first);
    grow_old();
    const StoreAddition added = value_of(add_reference(store, path));
    CHECK(added.bundle == bundle_id_of(first));
    CHECK(added.written_bytes == 0);
    CHECK(bytes_below(scratch.path("store")) < 10'000);
    CHECK(all_bytes(*value_of(store.open_bundle(added.bundle))) == first);
    // Other programs may write to the file, so it is not mapped.
    CHECK(code_of(value_of(store.open_bundle(added.bundle))->map(0, 100)) == ErrorCode::unsupported);
    CHECK(store.export_bundle(added.bundle, scratch.path("out.fardel")));
    CHECK(read_file(scratch.path("out.fardel")) == text_of(first));
    CHECK(value_of(add_reference(store, path)).was_there);
    CHECK(value_of(store.add(make_memory_source(first))).was_there);

    const StoreAddition shared = value_of(store.add(make_memory_source(second)));
    CHECK(shared.shared_bytes >= noise.size());
    CHECK(all_bytes(*value_of(store.open_bundle(bundle_id_of(second)))) == second);
    const StoreCheckReport report = value_of(store.check(true));
    CHECK(report.findings.empty());
    CHECK(report.packs == 1);
    CHECK(report.unused_packs == 0);

    const StoreUsage usage = value_of(store.usage({}));
    CHECK(usage.packs == 1);
    CHECK(usage.references == 1);
    CHECK(usage.referred_bytes == first.size());
    CHECK(usage.stale_references == 0);
    for (const StoredBundle& stored : value_of(store.list())) {
        const bool is_first = stored.bundle == added.bundle;
        CHECK(stored.references == 1);
        CHECK(stored.stale_references == 0);
        CHECK(stored.referred_bytes == (is_first ? first.size() : shared.shared_bytes));
    }
}

TEST_CASE_FIXTURE(
    ReferringStore,
    "bundle reference: a file that changed or went away is noticed, and adding it again mends the bundle") {
    const Bytes bytes = referred_bundle(noise_text(200'000, 1), "1");
    const BundleId id = bundle_id_of(bytes);
    const std::string path = scratch.write("tree/one.fardel", bytes);
    grow_old();
    value_of(add_reference(store, path));
    SUBCASE("other bytes of the same size") { scratch.write("tree/one.fardel", changed(bytes)); }
    SUBCASE("other bytes of the same size, with the old time") {  // A110
        const auto time = fs::last_write_time(path);
        scratch.write("tree/one.fardel", changed(bytes));
        fs::last_write_time(path, time);
    }
    SUBCASE("longer") {
        Bytes longer = bytes;
        longer.push_back(std::byte{0});
        scratch.write("tree/one.fardel", longer);
    }
    SUBCASE("gone") { fs::remove(path); }
    SUBCASE("a link") {
        if (!can_make_links())
            return;
        fs::rename(path, scratch.path("tree/two.fardel"));
        fs::create_symlink("two.fardel", path);
    }
    const bool is_gone = !fs::exists(path);
    const auto refused = store.open_bundle(id);
    REQUIRE_FALSE(refused);
    CHECK(fs::is_symlink(path) == (refused.error().code() == ErrorCode::malformed));
    CHECK(is_gone == (refused.error().code() == ErrorCode::missing));
    CHECK(refused.error().message().find("tree/one.fardel") != std::string::npos);
    const auto listed = value_of(store.list());
    REQUIRE(listed.size() == 1);
    CHECK(listed[0].held_bytes == 0);
    CHECK(listed[0].references == 1);
    CHECK(listed[0].stale_references == 1);
    CHECK(value_of(store.usage({})).stale_references == 1);
    for (const bool reads : {false, true}) {
        const StoreCheckReport report = value_of(store.check(reads));
        CHECK(report.damaged == std::vector<BundleId>{id});
        CHECK(std::ranges::any_of(report.findings, [](const std::string& finding) {
            return finding.find("tree/one.fardel") != std::string::npos;
        }));
    }

    // At another location.
    const std::string moved = scratch.write("moved.fardel", bytes);
    CHECK_FALSE(value_of(add_reference(store, moved)).was_there);
    CHECK(all_bytes(*value_of(store.open_bundle(id))) == bytes);
    CHECK(value_of(store.check(true)).findings.empty());
    // With a copy.
    fs::remove(moved);
    const StoreAddition again = value_of(store.add(make_memory_source(bytes)));
    CHECK_FALSE(again.was_there);
    CHECK(again.written_bytes == bytes.size());
    CHECK(fs::is_empty(scratch.path("store/refs")));
    CHECK(all_bytes(*value_of(store.open_bundle(id))) == bytes);
    CHECK(value_of(store.list())[0].held_bytes == bytes.size());
    CHECK(value_of(store.check(true)).findings.empty());
}

TEST_CASE_FIXTURE(ReferringStore, "bundle reference: a file with another stamp and the same bytes is noted again") {
    const Bytes bytes = referred_bundle(noise_text(100'000, 1), "1");
    const std::string path = scratch.write("one.fardel", bytes);
    SUBCASE("written again") {
        grow_old();
        value_of(add_reference(store, path));
        scratch.write("one.fardel", bytes);
    }
    SUBCASE("young when it was added") {
        bool was_young = false;
        for (int tries = 0; tries < 100 && !was_young; ++tries) {  // a busy machine may not be quick enough
            scratch.write("one.fardel", bytes);
            value_of(add_reference(store, path));
            was_young = fs::file_time_type::clock::now() - fs::last_write_time(path) < std::chrono::milliseconds(50);
        }
        if (!was_young) {
            MESSAGE("SKIPPED: no file was young when it had been added");
            return;
        }
    }
    const auto reference = [&] {
        const auto entry = fs::directory_iterator(scratch.path("store/refs"));
        return read_file(entry->path());
    };
    const std::string before = reference();
    grow_old();
    CHECK(all_bytes(*value_of(store.open_bundle(bundle_id_of(bytes)))) == bytes);
    const std::string after = reference();
    CHECK(before != after);
    CHECK(all_bytes(*value_of(store.open_bundle(bundle_id_of(bytes)))) == bytes);
    CHECK(reference() == after);
}

TEST_CASE_FIXTURE(
    ReferringStore,
    "bundle reference: a bundle that shares blocks with a file that changed is damaged, too, and mended alone") {
    const std::string noise = noise_text(400'000, 1);
    const Bytes first = referred_bundle(noise, "1");
    const Bytes second = referred_bundle(noise, "2");
    const std::string path = scratch.write("first.fardel", first);
    grow_old();
    value_of(add_reference(store, path));
    value_of(store.add(make_memory_source(second)));
    fs::remove(path);
    CHECK(value_of(store.check(false)).damaged.size() == 2);
    const StoreAddition again = value_of(store.add(make_memory_source(second)));
    CHECK(again.written_bytes == second.size());
    CHECK(all_bytes(*value_of(store.open_bundle(bundle_id_of(second)))) == second);
    CHECK(value_of(store.check(true)).damaged == std::vector<BundleId>{bundle_id_of(first)});
}

TEST_CASE_FIXTURE(ReferringStore,
                  "bundle reference: what others may write is not believed, whatever stamp it gives a file") {  // A141
    if (!has_modes())
        return;
    const Bytes bytes = referred_bundle(noise_text(100'000, 1), "1");
    const std::string path = scratch.write("one.fardel", bytes);
    grow_old();
    const BundleId id = value_of(add_reference(store, path)).bundle;
    // A reference to a secret, with its right stamp, in the place of the one that was there.
    const std::string secret = scratch.write("secret.txt", text_of(changed(bytes)));
    grow_old();
    const fs::path reference = fs::directory_iterator(scratch.path("store/refs"))->path();
    auto planted = value_of(decode_pack_reference(bytes_of(read_file(reference))));
    planted.path = utf8_of_path(fs::canonical(path_from_utf8(secret)));
    planted.stamp = stamp_path(secret);
    REQUIRE_FALSE(planted.stamp.young);
    fs::remove(reference);
    write_file(reference, text_of(encode_pack_reference(planted)));
    fs::permissions(reference, fs::perms::owner_read | fs::perms::owner_write | fs::perms::others_write);
    CHECK(code_of(store.open_bundle(id)) == ErrorCode::corrupt);
    // The right file is compared, and noted again by who has compared it.
    planted.path = utf8_of_path(fs::canonical(path_from_utf8(path)));
    planted.stamp = stamp_path(path);
    write_file(reference, text_of(encode_pack_reference(planted)));
    CHECK(all_bytes(*value_of(store.open_bundle(id))) == bytes);
    CHECK((fs::status(reference).permissions() & fs::perms::others_write) == fs::perms::none);
}

TEST_CASE_FIXTURE(ReferringStore, "bundle reference: a collection forgets the reference and never touches the file") {
    const Bytes bytes = referred_bundle(noise_text(100'000, 1), "1");
    const std::string path = scratch.write("one.fardel", bytes);
    grow_old();
    const BundleId ids[] = {value_of(add_reference(store, path)).bundle};
    const RetentionRules budget{
        .now = {1'000'000}, .grace_s = 0, .unused_for_s = {}, .bytes_max = 1000, .source_bytes_max = {}};
    CHECK(value_of(store.collect(budget)).bundles.empty());  // what is elsewhere costs nothing here
    REQUIRE(store.remove_bundles(ids, {1'000'000}));
    const CollectionReport report = value_of(store.collect(budget));
    CHECK(report.bundles.size() == 1);
    CHECK(report.removed_packs == 1);
    CHECK(report.removed_bytes == 0);
    CHECK(fs::is_empty(scratch.path("store/refs")));
    CHECK(read_file(path) == text_of(bytes));
    CHECK(value_of(store.list()).empty());
}

TEST_CASE_FIXTURE(ReferringStore, "bundle reference: what is no bundle file, or no file, is refused") {
    CHECK(code_of(add_reference(store, scratch.path("none"))) == ErrorCode::missing);
    CHECK(code_of(add_reference(store, scratch.root().string())) == ErrorCode::malformed);
    CHECK_FALSE(add_reference(store, scratch.write("text.fardel", "no bundle")));
    CHECK(value_of(store.list()).empty());
    CHECK_FALSE(fs::exists(scratch.path("store/refs")));
}

}  // namespace fardel::tests::bundle_reference_test
