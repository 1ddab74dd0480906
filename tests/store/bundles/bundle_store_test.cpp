// BundleStore: real folders, real bundles.
#include <fardel/store/bundle_store.h>

#include "kit/bundles.h"
#include "kit/emulator.h"
#include "kit/files.h"

#include <fardel/format/envelope.h>
#include <fardel/format/hash.h>
#include <fardel/format/head.h>

namespace fardel::tests::bundle_store_test {

constexpr std::size_t kLargeBytes = 300'000;

std::string large_text(char start) {
    std::string text(kLargeBytes, start);
    std::uint32_t state = static_cast<std::uint32_t>(start);
    for (char& c : text)
        c = static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
    return text;
}

// Two large assets that all versions share, and a small one that differs.
Bytes version(std::string_view number) {
    return BundleMaker()
        .add_data("a.bin", large_text('a'))
        .add_data("b.bin", large_text('b'))
        .add("version.txt", number)
        .write_quickly();
}

BundleStore open_store(const ScratchFolder& scratch) {
    return value_of(BundleStore::open(scratch.path("store"), true));
}

StoreAddition add_bytes(const BundleStore& store, const Bytes& bytes) {
    return value_of(store.add(make_memory_source(bytes)));
}

ErrorCode error_of(const auto& result) {
    REQUIRE_FALSE(result);
    return result.error().code();
}

struct EmptyStore {
    const ScratchFolder scratch;
    const BundleStore store = open_store(scratch);
};

TEST_CASE_FIXTURE(EmptyStore,
                  "bundle store: a bundle that was added has the bytes of its file, and is exported as that file") {
    const Bytes bytes = version("1");
    const StoreAddition added = add_bytes(store, bytes);
    CHECK(added.bundle == bundle_id_of(bytes));
    CHECK_FALSE(added.was_there);
    CHECK(added.written_bytes == bytes.size());
    CHECK(all_bytes(*value_of(store.open_bundle(added.bundle))) == bytes);

    CHECK(store.export_bundle(added.bundle, scratch.path("out.fardel")));
    CHECK(scratch.read("out.fardel") == std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    const auto packs = paths_below(scratch.path("store/packs"));
    REQUIRE(packs.size() == 1);
    if (has_modes())
        CHECK((std::filesystem::status(packs[0]).permissions() & std::filesystem::perms::owner_write) ==
              std::filesystem::perms::none);
}

TEST_CASE_FIXTURE(EmptyStore, "bundle store: blocks of ten versions lie on disk once") {
    std::vector<Bytes> versions;
    for (int i = 0; i < 10; ++i)
        versions.push_back(version("version " + std::to_string(i)));
    for (std::size_t i = 0; i < versions.size(); ++i) {
        const StoreAddition added = add_bytes(store, versions[i]);
        if (i > 0)
            CHECK(added.shared_bytes >= 2 * kLargeBytes);
    }
    const StoreCheckReport report = value_of(store.check(true));
    CHECK(report.findings.empty());
    CHECK(report.bundles == 10);
    CHECK(report.unused_packs == 0);
    CHECK(report.pack_bytes < versions[0].size() + 9 * 40'000);
    for (const Bytes& bytes : versions)
        CHECK(all_bytes(*value_of(store.open_bundle(bundle_id_of(bytes)))) == bytes);
}

TEST_CASE_FIXTURE(EmptyStore, "bundle store: adding a bundle twice writes nothing") {
    const Bytes bytes = version("1");
    add_bytes(store, bytes);
    const StoreAddition again = add_bytes(store, bytes);
    CHECK(again.was_there);
    CHECK(again.written_bytes == 0);
    CHECK(paths_below(scratch.path("store/packs")).size() == 1);
}

TEST_CASE_FIXTURE(EmptyStore, "bundle store: another layout of a bundle does not replace the one that is there") {
    BundlePlan plan;
    add(plan, "a.txt", std::string(100'000, 'a') + large_text('a'));
    const Bytes first = written(plan, {.level = 1, .jobs = 1});
    const Bytes second = written(plan, {.level = 19, .jobs = 1});
    REQUIRE(first != second);
    REQUIRE(bundle_id_of(first) == bundle_id_of(second));
    add_bytes(store, first);
    CHECK(add_bytes(store, second).was_there);
    CHECK(all_bytes(*value_of(store.open_bundle(bundle_id_of(first)))) == first);
}

// A trailer that decodes; the store does not judge signatures.
Bytes with_envelope(Bytes bytes, std::uint8_t number) {
    const Envelope envelope{.type = static_cast<EnvelopeType>(0x8000),
                            .payload = Bytes(8, std::byte{number}),
                            .signatures = {{.key = filled_id<PublicKey>(number)}}};
    const Bytes encoded = value_of(encode_envelope(envelope));
    bytes.insert(bytes.end(), encoded.begin(), encoded.end());
    return bytes;
}

TEST_CASE_FIXTURE(EmptyStore, "bundle store: a signature that the stored bundle lacks is added, and none is lost") {
    const Bytes unsigned_bytes = version("1");
    const BundleId id = bundle_id_of(unsigned_bytes);
    add_bytes(store, with_envelope(unsigned_bytes, 1));
    CHECK(add_bytes(store, unsigned_bytes).was_there);  // stripping them changes nothing
    CHECK(all_bytes(*value_of(store.open_bundle(id))) == with_envelope(unsigned_bytes, 1));
    const StoreAddition added = add_bytes(store, with_envelope(unsigned_bytes, 2));
    CHECK_FALSE(added.was_there);
    CHECK(added.written_bytes < 1000);
    CHECK(all_bytes(*value_of(store.open_bundle(id))) == with_envelope(with_envelope(unsigned_bytes, 1), 2));
    for (std::uint8_t number = 3; number < 40; ++number)  // more than a bundle may have: the first ones stay
        add_bytes(store, with_envelope(unsigned_bytes, number));
    const auto bundle = value_of(Bundle::open(value_of(store.open_bundle(id)), {}));
    CHECK(bundle->envelopes().size() <= 16);
    CHECK(bundle->envelopes().at(0).payload == Bytes(8, std::byte{1}));
}

TEST_CASE_FIXTURE(
    EmptyStore,
    "bundle store: a damaged pack is found, its blocks are not shared, and adding the file again mends it") {
    const Bytes first = version("1");
    const BundleId id = add_bytes(store, first).bundle;
    const auto pack = paths_below(scratch.path("store/packs")).at(0);
    std::filesystem::permissions(pack, std::filesystem::perms::owner_write, std::filesystem::perm_options::add);
    std::string content = read_file(pack);
    content[100'000] = static_cast<char>(content[100'000] ^ 1);
    write_file(pack, content);
    const StoreCheckReport report = value_of(store.check(true));
    CHECK(report.findings.size() == 2);
    CHECK(report.damaged == std::vector<BundleId>{id});
    CHECK(value_of(store.check(false)).findings.empty());  // it has the right size

    const Bytes second = version("2");
    const BundleId other = add_bytes(store, second).bundle;
    CHECK(all_bytes(*value_of(store.open_bundle(other))) == second);

    std::filesystem::remove(pack);
    CHECK(value_of(store.check(false)).damaged.size() == 2);
    CHECK(error_of(store.open_bundle(id)) == ErrorCode::missing);
    add_bytes(store, first);
    CHECK(all_bytes(*value_of(store.open_bundle(id))) == first);
}

TEST_CASE_FIXTURE(EmptyStore, "bundle store: damaged records are reported and replaced, and list() leaves them out") {
    const Bytes bytes = version("1");
    const BundleId id = add_bytes(store, bytes).bundle;
    const std::string record = "store/bundles/" + id.hex();
    scratch.write(record, "no record");
    CHECK(value_of(store.list()).empty());
    CHECK(value_of(store.check(false)).damaged == std::vector<BundleId>{id});
    CHECK(error_of(store.open_bundle(id)) == ErrorCode::malformed);
    add_bytes(store, bytes);
    CHECK(all_bytes(*value_of(store.open_bundle(id))) == bytes);
    // The record of one bundle under the name of another.
    const BundleId other = add_bytes(store, version("2")).bundle;
    scratch.write(record, scratch.read("store/bundles/" + other.hex()));
    CHECK(error_of(store.open_bundle(id)) == ErrorCode::corrupt);
}

TEST_CASE_FIXTURE(EmptyStore, "bundle store: a file whose blocks do not have their hashes is not added") {
    Bytes bytes = version("1");
    bytes[20'000] ^= std::byte{1};
    CHECK(error_of(store.add(make_memory_source(bytes))) == ErrorCode::corrupt);
    CHECK(value_of(store.list()).empty());
    CHECK(paths_below(scratch.path("store/packs")).empty());  // no unfinished file either
}

TEST_CASE_FIXTURE(EmptyStore, "bundle store: stopping leaves nothing") {
    std::stop_source stop;
    stop.request_stop();
    CHECK(error_of(store.add(make_memory_source(version("1")), {.stop = stop.get_token()})) == ErrorCode::cancelled);
    CHECK(paths_below(scratch.path("store/packs")).empty());
}

TEST_CASE("bundle store: many threads add the same and other bundles at once") {
    if (!can_replace_at_once())
        return;
    const ScratchFolder scratch;
    std::vector<Bytes> versions;
    for (int i = 0; i < 4; ++i)
        versions.push_back(version(std::to_string(i)));
    {
        std::vector<std::jthread> threads;
        for (unsigned thread = 0; thread < 6; ++thread)
            threads.emplace_back([&, thread] {
                const auto store = BundleStore::open(scratch.path("store"), true);
                CHECK_MESSAGE(store, (store ? "" : store.error().text()));
                for (unsigned i = 0; store && i < versions.size(); ++i) {
                    const auto added = store->add(make_memory_source(versions[(i + thread) % versions.size()]));
                    CHECK_MESSAGE(added, (added ? "" : added.error().text()));
                }
            });
    }
    const BundleStore store = open_store(scratch);
    CHECK(value_of(store.check(true)).findings.empty());
    for (const Bytes& bytes : versions)
        CHECK(all_bytes(*value_of(store.open_bundle(bundle_id_of(bytes)))) == bytes);
}

TEST_CASE_FIXTURE(EmptyStore, "bundle store: a bundle is found by the first digits of its id") {
    const BundleId id = add_bytes(store, version("1")).bundle;
    CHECK(value_of(store.find(id.hex())) == id);
    CHECK(value_of(store.find(id.hex().substr(0, 8))) == id);
    CHECK(error_of(store.find(id.hex().substr(0, 7))) == ErrorCode::malformed);
    CHECK(error_of(store.find("0123456789")) == ErrorCode::missing);
    CHECK(error_of(store.find("../../../../etc")) == ErrorCode::malformed);
    // A61: two ids with equal first digits.
    BundleId twin = id;
    twin.bytes[31] ^= 1;
    scratch.write("store/bundles/" + twin.hex(), "x");
    CHECK(error_of(store.find(id.hex().substr(0, 16))) == ErrorCode::conflict);
    CHECK(value_of(store.find(id.hex())) == id);
}

Bytes depending_on(const std::vector<BundleId>& needs, std::string_view text) {
    return BundleMaker().add("x.txt", text).needs(needs, "d", "1").write_quickly();
}

TEST_CASE_FIXTURE(EmptyStore, "bundle store: static dependencies come along, each before the bundles that need it") {
    const Bytes base = depending_on({}, "base");
    const BundleId base_id = bundle_id_of(base);
    const Bytes left = depending_on({base_id}, "left");
    const Bytes right = depending_on({base_id}, "right");
    const Bytes top = depending_on({bundle_id_of(left), bundle_id_of(right)}, "top");
    const BundleId top_id = add_bytes(store, top).bundle;
    add_bytes(store, left);
    const auto missing = store.closure(top_id);
    CHECK(error_of(missing) == ErrorCode::unresolved);
    CHECK(missing.error().message().find(base_id.hex()) != std::string::npos);
    CHECK(missing.error().message().find(bundle_id_of(right).hex()) != std::string::npos);
    add_bytes(store, right);
    add_bytes(store, base);
    CHECK(value_of(store.closure(top_id)) ==
          std::vector<BundleId>{base_id, bundle_id_of(left), bundle_id_of(right), top_id});
    CHECK(error_of(store.closure(filled_id<BundleId>(9))) == ErrorCode::missing);
}

TEST_CASE("bundle store: a folder that is no store, or one of a later version, is left alone") {
    const ScratchFolder scratch;
    scratch.write("home/letter.txt", "dear");
    CHECK(error_of(BundleStore::open(scratch.path("home"), true)) == ErrorCode::malformed);
    CHECK(error_of(BundleStore::open(scratch.path("none"), false)) == ErrorCode::missing);
    open_store(scratch);
    scratch.write("store/fardel-store", "fardel store, layout 2\n");  // A119
    CHECK(error_of(BundleStore::open(scratch.path("store"), true)) == ErrorCode::unsupported);
    CHECK(scratch.read("store/fardel-store") == "fardel store, layout 2\n");
}

TEST_CASE_FIXTURE(EmptyStore, "bundle store: a bundle that is open is read on after the store is gone") {
    if (!can_remove_open_files())
        return;
    const Bytes bytes = version("1");
    const auto source = value_of(store.open_bundle(add_bytes(store, bytes).bundle));
    std::filesystem::remove_all(scratch.path("store"));
    CHECK(all_bytes(*source) == bytes);
}

}  // namespace fardel::tests::bundle_store_test
