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
    REQUIRE(create_folders(scratch.path("a/b/c")));
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

TEST_CASE("folder: the folder of a path is found from its text") {
    CHECK(folder_of_path("a/b/c") == "a/b");
    CHECK(folder_of_path("/a") == "/");
    CHECK(folder_of_path("a") == ".");
    CHECK(folder_of_path("a/") == "a");
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
