#include <fardel/sources/source_scan.h>

#include <fardel/sources/legacy_archives.h>

#include "kit/archives.h"
#include "kit/blobs.h"
#include "kit/files.h"

#include <fardel/format/hash.h>

#include <set>

namespace fardel::tests::source_scan_test {

Result<ScanResult> scan(const std::vector<std::string>& sources, const std::vector<std::string>& excludes = {}) {
    return scan_sources(sources, {.excludes = {excludes.begin(), excludes.end()}}, make_archive_reader().get());
}

TEST_CASE("source scan: folders and archives mix, and the later wins") {
    const ScratchFolder folder;
    const std::string pak0 = folder.write("pak0.pk3", build_zip({{.name = "Maps/dm01.bsp", .content = "old"},
                                                                 {.name = "default.cfg", .content = "cfg"}}));
    const std::string pak1 =
        folder.write("pak1.pk3", build_zip({{.name = "maps/dm01.bsp", .content = "new"}, {.name = "bad\\name"}}));
    folder.write("loose/default.cfg", "loose");
    const std::string loose = folder.path("loose");

    const auto result = scan({pak0, pak1, loose});
    REQUIRE(result);
    REQUIRE(result->entries.size() == 2);
    CHECK(result->entries[0].name.text() == "default.cfg");
    CHECK(*read_blob_text(*result->entries[0].blob) == "loose");
    CHECK(result->entries[1].name.text() == "maps/dm01.bsp");
    CHECK(*read_blob_text(*result->entries[1].blob) == "new");
    REQUIRE(result->report.overridden.size() == 2);
    CHECK(result->report.overridden[0].origin == pak0 + ": Maps/dm01.bsp");
    CHECK(result->report.overridden[0].by_origin == pak1 + ": maps/dm01.bsp");
    CHECK(result->report.overridden[1].by_origin == folder.path("loose/default.cfg"));
    CHECK(result->report.refused.size() == 1);

    const auto reversed = scan({loose, pak1, pak0});
    REQUIRE(reversed);
    CHECK(reversed->entries[0].name.text() == "Maps/dm01.bsp");
    CHECK(*read_blob_text(*reversed->entries[0].blob) == "old");
}

TEST_CASE("source scan: a hidden name and the one that hides it each have their own bytes") {
    const ScratchFolder folder;
    const std::string pak0 = folder.write("pak0.pk3", build_zip({{.name = "a", .content = "first"}}));
    const std::string pak1 = folder.write("pak1.pk3", build_zip({{.name = "a", .content = "second"}}));
    const auto first = scan({pak0});
    const auto both = scan({pak0, pak1});
    REQUIRE(first);
    REQUIRE(both);
    CHECK(*read_blob_text(*first->entries[0].blob) == "first");
    CHECK(*read_blob_text(*both->entries[0].blob) == "second");
}

TEST_CASE("source scan: the version of an archive's entry depends on the archive and the entry, and not on others") {
    const ScratchFolder folder;
    const std::vector<ZipMember> members{{.name = "a", .content = "1"},
                                         {.name = "b", .content = "2"},
                                         {.name = "c", .content = "2"},
                                         {.name = "d", .content = "3"}};
    const std::string pak = folder.write("pak.pk3", build_zip(members));
    CHECK_FALSE(value_of(scan({pak})).entries[0].blob->find_version());  // it is young
    grow_old();
    const ScanResult all = value_of(scan({pak})), some = value_of(scan({pak}, {"a", "c"}));
    std::set<Hash> versions;
    for (const SourceEntry& entry : all.entries) {
        const auto version = entry.blob->find_version();
        REQUIRE(version);
        versions.insert(*version);
    }
    CHECK(versions.size() == 4);
    REQUIRE(some.entries.size() == 2);
    CHECK(some.entries[0].blob->find_version() == all.entries[1].blob->find_version());
    CHECK(some.entries[1].blob->find_version() == all.entries[3].blob->find_version());
    folder.write("pak.pk3", build_zip(members));
    grow_old();
    CHECK(value_of(scan({pak})).entries[1].blob->find_version() != all.entries[1].blob->find_version());
}

TEST_CASE("source scan: entries of one name in one archive have versions of their own, the same in each scan") {
    const ScratchFolder folder;
    const std::string name = "a folder with a long name/and a file in it";
    const std::string once = folder.write("pak0.pk3", build_zip({{.name = name, .content = "1"}}));
    const std::string twice =
        folder.write("pak1.pk3", build_zip({{.name = name, .content = "1"}, {.name = name, .content = "2"}}));
    grow_old();
    const ScanResult first = value_of(scan({twice})), again = value_of(scan({twice}));
    REQUIRE(first.entries.size() == 1);
    CHECK(*read_blob_text(*first.entries[0].blob) == "2");
    REQUIRE(first.entries[0].blob->find_version());
    CHECK(first.entries[0].blob->find_version() == again.entries[0].blob->find_version());
    CHECK(first.entries[0].blob->find_version() != value_of(scan({once})).entries[0].blob->find_version());
}

TEST_CASE("source scan: a link that names a source is followed, links inside the source are not") {
    const ScratchFolder folder;
    folder.write("real/a", "x");
    std::filesystem::create_symlink("real", folder.path("link"));
    const auto result = scan({folder.path("link")});
    REQUIRE(result);
    CHECK(result->entries.size() == 1);
    CHECK(result->entries[0].origin.text() == folder.path("link/a"));
}

TEST_CASE("source scan: a folder that no case-insensitive system can represent is a conflict, with both paths") {
    const ScratchFolder folder;
    folder.write("Readme", "x");
    folder.write("README", "y");
    const auto result = scan({folder.root().string()});
    REQUIRE_FALSE(result);
    CHECK(result.error().code() == ErrorCode::conflict);
    CHECK(result.error().message().find(folder.path("Readme")) != std::string::npos);
    CHECK(result.error().message().find(folder.path("README")) != std::string::npos);
    CHECK(scan({folder.root().string()}, {"Readme"}));
}

TEST_CASE("source scan: an exclude that is not a glob is malformed, and the message names it") {
    const ScratchFolder folder;
    check_error(scan({folder.root().string()}, {"fine/*", "/absolute"}), ErrorCode::malformed, "/absolute");
}

TEST_CASE("source scan: the usual excludes are valid globs, and match files of version control and desktops") {
    const ScratchFolder folder;
    for (const char* name : {".git/HEAD", "a/.git/HEAD", "b/.git", ".hg/store/x", "a/.svn/entries", ".DS_Store",
                             "a/b/.DS_Store", "Thumbs.db", "a/desktop.ini", "a/kept", ".gitignore", "git/kept"})
        folder.write(name, "x");
    const auto result = scan({folder.root().string()}, usual_excludes());
    REQUIRE(result);
    std::vector<std::string> names;
    for (const SourceEntry& entry : result->entries)
        names.push_back(entry.name.text());
    CHECK(names == std::vector<std::string>{".gitignore", "a/kept", "git/kept"});
    CHECK(result->report.excluded.size() == 9);
}

TEST_CASE("source scan: no sources give an empty result; an error names its source") {
    CHECK(scan({})->entries.empty());
    const auto result = scan({"/nowhere/pak0.pk3"});
    REQUIRE_FALSE(result);
    CHECK(result.error().code() == ErrorCode::missing);
    CHECK(result.error().message().starts_with("/nowhere/pak0.pk3"));
}

TEST_CASE("source scan: the same sources give the same result, with many files") {
    const ScratchFolder folder;
    for (int i = 0; i < 600; ++i)
        folder.write("d" + std::to_string(i % 37) + "/f" + std::to_string(i * 7919 % 600), "x");
    const auto first = scan({folder.root().string()});
    const auto second = scan({folder.root().string()});
    REQUIRE(first);
    REQUIRE(second);
    REQUIRE(first->entries.size() == 600);
    for (std::size_t i = 0; i < 600; ++i) {
        CHECK(first->entries[i].name == second->entries[i].name);
        CHECK((i == 0 || first->entries[i - 1].name < first->entries[i].name));
    }
}

}  // namespace fardel::tests::source_scan_test
