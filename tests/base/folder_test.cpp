#include <fardel/base/folder.h>
#include <fardel/base/memory.h>

#include "kit/files.h"

#include <cerrno>

namespace fardel::tests::folder_test {

TEST_CASE("folder: names are listed in byte order, as often as wanted") {
    const ScratchFolder scratch;
    for (const char* const name : {"b", "a", "Z", ".hidden", "c/below"})
        scratch.write(name, "");
    const auto folder = open_folder(scratch.root().string(), "folder");
    REQUIRE(folder);
    for (int i = 0; i < 2; ++i) {
        const auto names = list_names(*folder, "folder");
        REQUIRE(names);
        CHECK(*names == std::vector<std::string>{".hidden", "Z", "a", "b", "c"});
    }
    const auto location = open_folder({*folder, "c"}, "c", {.links = Links::refused, .location_only = true});
    REQUIRE(location);
    const auto below = list_names(*location, "c");
    REQUIRE(below);
    CHECK(*below == std::vector<std::string>{"below"});
}

TEST_CASE("folder: only a folder is opened, and no link if links are refused") {
    const ScratchFolder scratch;
    scratch.write("file", "");
    std::filesystem::create_directory(scratch.path("folder"));
    std::filesystem::create_directory_symlink("folder", scratch.path("link"));
    CHECK(open_folder(scratch.path("link"), "x"));
    const auto refused = open_folder(scratch.path("link"), "x", {.links = Links::refused});
    REQUIRE_FALSE(refused);
    CHECK((refused.error().system_number() == ELOOP || refused.error().system_number() == ENOTDIR));
    const auto file = open_folder(scratch.path("file"), "x");
    REQUIRE_FALSE(file);
    CHECK(file.error().system_number() == ENOTDIR);
}

TEST_CASE("folder: creating reports whether the name was free; parent folders are created if requested") {
    const ScratchFolder scratch;
    CHECK(*create_folder(scratch.path("a"), "a"));
    CHECK_FALSE(*create_folder(scratch.path("a"), "a"));
    scratch.write("file", "");
    CHECK_FALSE(*create_folder(scratch.path("file"), "file"));
    CHECK_FALSE(create_folder(scratch.path("none/below"), "x"));

    REQUIRE(create_folders(scratch.path("a/b/c")));
    REQUIRE(create_folders(scratch.path("a/b/c/")));
    CHECK(std::filesystem::is_directory(scratch.path("a/b/c")));
    CHECK_FALSE(create_folders(scratch.path("file/below")));

    REQUIRE(create_folders_below_root(FilePath::of_root(scratch.path("a")) / "d/e", Lasting::no));
    CHECK(std::filesystem::is_directory(scratch.path("a/d/e")));
    REQUIRE(create_folders_below_root(FilePath::of_root(scratch.path("a/")) / "/f", Lasting::yes));
    CHECK(std::filesystem::is_directory(scratch.path("a/f")));
    CHECK(create_folders_below_root(FilePath::of_root(scratch.path("a")), Lasting::yes));
    for (const char* const below : {"b", "b/c"}) {
        CHECK(code_of(create_folders_below_root(FilePath::of_root(scratch.path("gone")) / below, Lasting::yes)) ==
              fardel::ErrorCode::missing);
    }
    CHECK_FALSE(std::filesystem::exists(scratch.path("gone")));

    CHECK(*remove_folder(scratch.path("a/b/c"), "x"));
    CHECK_FALSE(*remove_folder(scratch.path("a/b/c"), "x"));
    CHECK(code_of(remove_folder(scratch.path("a"), "x")) == ErrorCode::conflict);
}

TEST_CASE("folder: a temporary folder is new, and only its owner may use it") {
    const ScratchFolder scratch;
    const auto first = create_temporary_folder(scratch.path("t-"), "x");
    const auto second = create_temporary_folder(scratch.path("t-"), "x");
    REQUIRE(first);
    REQUIRE(second);
    CHECK(*first != *second);
    CHECK(first->starts_with(scratch.path("t-")));
    CHECK(file_status(*first, "x")->permissions == 0700);
    CHECK_FALSE(create_temporary_folder(scratch.path("none/t-"), "x"));
}

TEST_CASE("folder: it is synced, or its absence is reported") {
    const ScratchFolder scratch;
    CHECK(sync_folder(scratch.root().string()));
    CHECK_FALSE(sync_folder(scratch.path("none")));
}

TEST_CASE("folder: a real path has no links") {
    const ScratchFolder scratch;
    scratch.write("folder/file", "");
    std::filesystem::create_directory_symlink("folder", scratch.path("link"));
    const auto real = real_path(scratch.path("link/../link/./file"), "x");
    REQUIRE(real);
    CHECK(*real == std::filesystem::canonical(scratch.path("folder/file")).string());
    CHECK_FALSE(real_path(scratch.path("none"), "x"));
}

TEST_CASE("folder: a tree is removed, also what its owner may not write to, and no link is followed") {
    const ScratchFolder scratch;
    scratch.write("kept/file", "");
    scratch.write("tree/a/b/file", "");
    std::filesystem::create_directory_symlink(scratch.path("kept"), scratch.path("tree/link"));
    std::filesystem::permissions(scratch.path("tree/a/b"), std::filesystem::perms::none);
    std::filesystem::permissions(scratch.path("tree/a"), std::filesystem::perms::owner_read);
    CHECK(remove_tree(scratch.path("tree")));
    CHECK_FALSE(std::filesystem::exists(scratch.path("tree")));
    CHECK(std::filesystem::exists(scratch.path("kept/file")));
    CHECK(remove_tree(scratch.path("tree")));

    scratch.write("alone", "");
    CHECK(remove_tree(scratch.path("alone")));
    CHECK_FALSE(file_exists(scratch.path("alone")));
}

TEST_CASE("folder: all that is in a folder is visited in byte order, and no link is followed") {
    const ScratchFolder scratch;
    for (const char* const file : {"b/c/file", "b/a", "A", "skipped/file"})
        scratch.write(file, "text");
    std::filesystem::create_directory_symlink("b", scratch.path("link"));
    std::vector<std::string> visited;
    REQUIRE(visit_folder(scratch.root().string(), [&](const std::string& path, const FileStatus& status) {
        visited.push_back(path + (status.is_file() ? " " + std::to_string(status.size_bytes) : ""));
        return Result<bool>(path != "skipped");
    }));
    CHECK(visited == std::vector<std::string>{"A 4", "b", "b/a 4", "b/c", "b/c/file 4", "link", "skipped"});

    std::size_t visits = 0;
    const Status ended = visit_folder(scratch.root().string(), [&](const std::string&, const FileStatus&) {
        return ++visits == 2 ? Result<bool>(Error(ErrorCode::limit, "enough")) : Result<bool>(true);
    });
    CHECK_FALSE(ended);
    CHECK(visits == 2);
    CHECK_FALSE(
        visit_folder(scratch.path("none"), [](const std::string&, const FileStatus&) { return Result<bool>(true); }));
}

TEST_CASE("folder: a path becomes absolute by its text, and canonical by its links") {
    const ScratchFolder scratch;
    scratch.write("folder/file", "");
    std::filesystem::create_directory_symlink("folder", scratch.path("link"));
    CHECK(*absolute_path(scratch.path("link/..")) == scratch.path("link/.."));  // which a link makes another folder
    const std::string here = *real_path(".", "here");
    CHECK(*absolute_path("a/../b") == here + "/a/../b");
    const std::string real = *real_path(scratch.path("folder"), "folder");
    CHECK(*canonical_path(scratch.path("link/file")) == real + "/file");
    CHECK(*canonical_path(scratch.path("link/none/../other")) == real + "/other");
    CHECK(*canonical_path("none") == here + "/none");
}

TEST_CASE("folder: a file or a folder exists if it can be looked at") {
    const ScratchFolder scratch;
    scratch.write("folder/file", "");
    std::filesystem::create_symlink("none", scratch.path("link"));
    CHECK(file_exists(scratch.path("folder/file")));
    CHECK(file_exists(scratch.path("folder")));
    CHECK_FALSE(file_exists(scratch.path("link")));
    CHECK_FALSE(file_exists(scratch.path("folder/file/below")));
    CHECK(folder_exists(scratch.path("folder")));
    CHECK_FALSE(folder_exists(scratch.path("folder/file")));
    CHECK_FALSE(folder_exists(scratch.path("none")));
}

TEST_CASE("memory: it is zeroed, and a request is refused if there is not enough") {
    constexpr std::size_t kSize = 1u << 20;
    std::byte* const bytes = map_zeroed(kSize);
    REQUIRE(bytes != nullptr);
    CHECK(bytes[0] == std::byte{0});
    CHECK(bytes[kSize - 1] == std::byte{0});
    bytes[kSize - 1] = std::byte{1};
    unmap_zeroed(bytes, kSize);
    unmap_zeroed(nullptr, kSize);
    CHECK(map_zeroed(~std::size_t{0} - (std::size_t{1} << 20)) == nullptr);
}

}  // namespace fardel::tests::folder_test
