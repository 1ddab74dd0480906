#include <fardel/sources/observed_path.h>

#include <fardel/sources/source_scan.h>

#include "kit/files.h"

namespace fardel::tests::observed_path_test {

std::vector<ObservedPath> seen(const std::string& folder) {
    const std::string sources[] = {folder};
    auto scan = scan_sources(sources, {}, nullptr);
    REQUIRE(scan);
    return std::move(scan->seen);
}

TEST_CASE("path stamp: a scanned path is unchanged until a file is written, added or removed") {
    const ScratchFolder scratch;
    scratch.write("tree/a.txt", "a");
    scratch.write("tree/deep/b.txt", "b");
    std::filesystem::create_directories(scratch.path("tree/empty"));
    grow_old();
    const std::string tree = scratch.path("tree");
    const auto before = seen(tree);
    CHECK(before.size() == 3);
    CHECK_FALSE(find_changed(before));
    CHECK_FALSE(find_changed(before));

    SUBCASE("other bytes of the same size") {
        scratch.write("tree/deep/b.txt", "c");
        CHECK(find_changed(before) == tree + "/deep/b.txt");
    }
    SUBCASE("an older file put back") {  // A110
        const auto time = std::filesystem::last_write_time(tree + "/a.txt");
        scratch.write("tree/a.txt", "z");
        std::filesystem::last_write_time(tree + "/a.txt", time - std::chrono::hours(10));
        CHECK(find_changed(before) == tree + "/a.txt");
    }
    SUBCASE("other bytes, with the time of the old") {
        const auto time = std::filesystem::last_write_time(tree + "/a.txt");
        scratch.write("tree/a.txt", "z");
        std::filesystem::last_write_time(tree + "/a.txt", time);
        CHECK(find_changed(before) == tree + "/a.txt");
    }
    SUBCASE("a file more, in an empty folder") {
        scratch.write("tree/empty/c.txt", "c");
        CHECK(find_changed(before) == tree + "/empty");
    }
    SUBCASE("a file less") {
        std::filesystem::remove(tree + "/a.txt");
        CHECK(find_changed(before) == tree);
    }
    SUBCASE("everything gone") {
        std::filesystem::remove_all(tree);
        CHECK(find_changed(before) == tree);
    }
}

TEST_CASE("path stamp: a file written just before the scan counts as changed and has no version") {
    const ScratchFolder scratch;
    scratch.write("tree/a.txt", "a");
    grow_old();
    scratch.write("tree/b.txt", "b");
    const std::string sources[] = {scratch.path("tree")};
    auto young = scan_sources(sources, {}, nullptr);
    REQUIRE(young);
    // As often as a busy machine was not quick enough.
    for (int tries = 0; tries < 200 && young->entries[1].blob->find_version(); ++tries) {
        scratch.write("tree/b.txt", "b");
        young = scan_sources(sources, {}, nullptr);
        REQUIRE(young);
    }
    CHECK(young->entries[0].blob->find_version());
    CHECK_FALSE(young->entries[1].blob->find_version());
    CHECK(find_changed(young->seen));
    grow_old();
    CHECK(find_changed(young->seen));
    CHECK_FALSE(find_changed(seen(scratch.path("tree"))));
}

TEST_CASE("path stamp: a path that does not exist is missing until it is created") {
    const ScratchFolder scratch;
    const ObservedPath absent[] = {
        {.path = scratch.path("palette.png"), .stamp = stamp_path(scratch.path("palette.png"))}};
    CHECK(absent[0].stamp.kind == StampKind::missing);
    CHECK_FALSE(find_changed(absent));
    scratch.write("palette.png", "x");
    CHECK(find_changed(absent) == absent[0].path);
}

}  // namespace fardel::tests::observed_path_test
