// BlockIndex: what additions read of a store that has many bundles, and indexes that are gone, damaged or wrong.
#include "index/block_index.h"

#include "kit/bundles.h"
#include "kit/emulator.h"
#include "kit/files.h"

#include <fardel/store/bundle_store.h>
#include <fardel/store/retention.h>

namespace fardel::tests::block_index_test {

constexpr std::size_t kNoiseBytes = 100'000;

// Content that all share, and content of its own.
Bytes indexed_bundle(int number) {
    return BundleMaker()
        .add_data("a.bin", noise_text(kNoiseBytes, 1))
        .add_data("b.bin", noise_text(20'000, 100 + static_cast<std::uint64_t>(number)))
        .write_quickly();
}

struct IndexedStore {
    explicit IndexedStore(const ScratchFolder& scratch)
        : store(value_of(BundleStore::open(scratch.path("store"), true))),
          folder(value_of(StoreFolder::open(scratch.path("store"), false))) {}

    StoreAddition add(int number) const { return value_of(store.add(make_memory_source(indexed_bundle(number)))); }
    std::size_t layouts_read() const { return value_of(BlockIndex::open(folder)).layouts_read(); }

    BundleStore store;
    StoreFolder folder;
};

TEST_CASE("block index: an addition reads only the layout that was added before it, and files stay few") {
    const ScratchFolder scratch;
    const IndexedStore indexed(scratch);
    for (int i = 0; i < 40; ++i) {
        const StoreAddition added = indexed.add(i);
        CHECK((i == 0 || added.shared_bytes >= kNoiseBytes));
    }
    CHECK(indexed.layouts_read() == 1);
    CHECK(indexed.layouts_read() == 0);
    CHECK(paths_below(scratch.path("store/index")).size() <= 6);
    CHECK(value_of(indexed.store.check(true)).findings.empty());
}

TEST_CASE("block index: if it is deleted, damaged or of another version, it is made again and sharing goes on") {
    const ScratchFolder scratch;
    const IndexedStore indexed(scratch);
    for (int i = 0; i < 8; ++i)
        indexed.add(i);
    CHECK(indexed.layouts_read() == 1);
    const auto damage = [&](std::size_t offset) {
        for (const fs::path& file : paths_below(scratch.path("store/index"))) {
            std::string bytes = read_file(file);
            REQUIRE(bytes.size() > offset);
            bytes[offset] = static_cast<char>(bytes[offset] ^ 2);
            write_file(file, bytes);
        }
    };
    std::size_t expected = 8;
    SUBCASE("deleted") { fs::remove_all(scratch.path("store/index")); }
    SUBCASE("another version") { damage(8); }
    SUBCASE("a damaged head") { damage(40); }
    SUBCASE("a damaged page") {
        damage(4096 + 10);
        expected = 0;  // it is noticed when it is read
    }
    SUBCASE("cut off") {
        for (const fs::path& file : paths_below(scratch.path("store/index")))
            fs::resize_file(file, 5000);
    }
    SUBCASE("links and folders in its place") {
        if (!can_make_links())
            return;
        for (const fs::path& file : paths_below(scratch.path("store/index"))) {
            fs::remove(file);
            fs::create_symlink("/etc/passwd", file);
        }
        fs::create_directory(scratch.path("store/index/x.blocks"));
    }
    CHECK(indexed.layouts_read() == expected);
    const StoreAddition next = indexed.add(100);
    CHECK((expected == 0 || next.shared_bytes >= kNoiseBytes));
    CHECK(indexed.add(101).shared_bytes >= kNoiseBytes);
    CHECK(indexed.layouts_read() == 1);
    CHECK(indexed.layouts_read() == 0);
    CHECK(value_of(indexed.store.check(true)).findings.empty());
}

TEST_CASE("block index: without a folder for it, layouts are read each time") {
    const ScratchFolder scratch;
    const IndexedStore indexed(scratch);
    scratch.write("store/index", "a file");
    for (int i = 0; i < 4; ++i)
        indexed.add(i);
    CHECK(indexed.layouts_read() == 4);
    CHECK(indexed.add(5).shared_bytes >= kNoiseBytes);
}

TEST_CASE("block index: wrong locations cost space and never bytes") {
    const ScratchFolder scratch;
    const IndexedStore indexed(scratch);
    indexed.add(0);
    CHECK(indexed.layouts_read() == 1);
    const auto files = paths_below(scratch.path("store/index"));
    REQUIRE(files.size() == 1);
    IndexRun run = value_of(IndexRun::open(files[0].string()));
    std::vector<IndexRunEntry> entries;
    for (std::uint64_t page = 0; page < run.page_count(); ++page)
        for (IndexRunEntry entry : value_of(run.read_page(page))) {
            entry.pack_offset += 1;
            entries.push_back(entry);
        }
    std::size_t at = 0;
    SUBCASE("other offsets") {}
    SUBCASE("offsets far out") {
        for (IndexRunEntry& entry : entries)
            entry.pack_offset = UINT64_MAX - 10;
    }
    REQUIRE(write_index_run(files[0].string(), run.head(), [&]() -> Result<std::optional<IndexRunEntry>> {
        return at < entries.size() ? std::optional(entries[at++]) : std::nullopt;
    }));
    CHECK(indexed.layouts_read() == 0);
    const StoreAddition added = indexed.add(1);
    CHECK(added.shared_bytes < kNoiseBytes);
    CHECK(value_of(indexed.store.check(true)).findings.empty());
}

TEST_CASE("block index: what was collected leaves it, and is not shared") {
    const ScratchFolder scratch;
    const IndexedStore indexed(scratch);
    std::vector<BundleId> ids;
    for (int i = 0; i < 6; ++i)
        ids.push_back(indexed.add(i).bundle);
    CHECK(indexed.layouts_read() == 1);
    REQUIRE(indexed.store.remove_bundles(ids, {1'000'000}));
    const RetentionRules now{
        .now = {1'000'000}, .grace_s = 0, .unused_for_s = {}, .bytes_max = {}, .source_bytes_max = {}};
    CHECK(value_of(indexed.store.collect(now)).bundles.size() == 6);
    CHECK(indexed.add(7).shared_bytes == 0);
    CHECK(indexed.add(8).shared_bytes >= kNoiseBytes);
    static_cast<void>(indexed.layouts_read());
    CHECK(paths_below(scratch.path("store/index")).size() == 1);  // what had the six is merged away
}

}  // namespace fardel::tests::block_index_test
