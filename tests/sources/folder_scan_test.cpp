#include "ignore_file.h"
#include "source_listing.h"

#include "kit/blobs.h"
#include "kit/restricted_program.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>

namespace fardel::tests::folder_scan_test {

SourceListing list(const std::string& path, std::span<const std::string> excludes = {}) {
    SourceListing listing({.excludes = {excludes.begin(), excludes.end()}});
    require_good(list_folder(path, listing));
    return listing;
}

std::vector<std::string> names_of(const SourceListing& listing) {
    std::vector<std::string> names;
    for (const SourceEntry& entry : listing.entries)
        names.push_back(entry.name.text());
    return names;
}

const RefusedName* find_refused(const SourceListing& listing, std::string_view name) {
    const auto found = std::ranges::find(listing.refused, name, &RefusedName::printable_name);
    return found == listing.refused.end() ? nullptr : &*found;
}

TEST_CASE("folder: every file is listed under its path, in byte order, with size and bytes") {
    const ScratchFolder folder;
    folder.write("b.txt", "bee");
    folder.write("a/z.txt", "zee");
    folder.write("a/b/c/d.txt", "");
    folder.write("Z.txt", "big");
    std::filesystem::create_directories(folder.path("empty/inside"));
    const SourceListing listing = list(folder.root().string());
    CHECK(names_of(listing) == std::vector<std::string>{"Z.txt", "a/b/c/d.txt", "a/z.txt", "b.txt"});
    CHECK(listing.entries[0].size_bytes == 3);
    CHECK(listing.entries[2].origin.text() == folder.path("a/z.txt"));
    CHECK(*read_blob_text(*listing.entries[2].blob) == "zee");
    CHECK(*read_blob_text(*listing.entries[1].blob) == "");
    CHECK(listing.refused.empty());
}

TEST_CASE("folder: slashes at the end of its path are ignored") {
    const ScratchFolder folder;
    folder.write("a", "x");
    CHECK(list(folder.root().string() + "///").entries[0].origin.text() == folder.path("a"));
}

TEST_CASE("folder: names that begin with a dot are packed like others") {
    const ScratchFolder folder;
    folder.write(".hidden", "");
    folder.write(".config/x", "");
    CHECK(names_of(list(folder.root().string())) == std::vector<std::string>{".config/x", ".hidden"});
}

TEST_CASE("folder: a link inside gives the bytes of its target under its own name") {
    const ScratchFolder folder;
    folder.write("a.tga", "pixels");
    folder.write("sub/x.txt", "x");
    std::filesystem::create_symlink("a.tga", folder.path("b.tga"));
    std::filesystem::create_symlink("../b.tga", folder.path("sub/c.tga"));  // a chain
    std::filesystem::create_symlink(folder.path("a.tga"), folder.path("absolute.tga"));
    std::filesystem::create_symlink("sub", folder.path("other"));
    std::filesystem::create_symlink("aux.txt", folder.path("good.txt"));
    folder.write("aux.txt", "refused under its own name only");
    const SourceListing listing = list(folder.root().string());
    CHECK(names_of(listing) == std::vector<std::string>{"a.tga", "absolute.tga", "b.tga", "good.txt", "other/c.tga",
                                                        "other/x.txt", "sub/c.tga", "sub/x.txt"});
    for (const SourceEntry& entry : listing.entries)
        if (entry.name.view().ends_with(".tga"))
            CHECK(*read_blob_text(*entry.blob) == "pixels");
    CHECK(listing.refused.size() == 1);
    // A change of the target is a change of what was scanned.
    folder.write("a.tga", "other pixels");
    CHECK(read_blob_text(*listing.entries[2].blob).error().code() == ErrorCode::conflict);
}

// A13, A16: what a link outside leads to is never read.
TEST_CASE("folder: a link that leads outside, to nothing, in a circle or to a folder that it is in is refused") {
    const ScratchFolder folder;
    folder.write("inside/file", "x");
    folder.write("inside/.env", "password");
    std::filesystem::create_symlink("/etc/passwd", folder.path("to_outside"));
    std::filesystem::create_symlink("..", folder.path("to_above"));
    std::filesystem::create_symlink("nowhere", folder.path("to_nothing"));
    std::filesystem::create_symlink(".", folder.path("to_itself"));
    std::filesystem::create_symlink("circle", folder.path("circle"));
    std::filesystem::create_symlink("..", folder.path("inside/up"));
    std::filesystem::create_symlink("inside/.env", folder.path("innocent.txt"));
    const SourceListing listing = list(folder.root().string());
    CHECK(names_of(listing) == std::vector<std::string>{"inside/.env", "inside/file"});
    CHECK(listing.refused.size() == 7);
    for (const RefusedName& refused : listing.refused)
        CHECK(refused.reason.code() == ErrorCode::denied);
    const RefusedName* const outside = find_refused(listing, "to_outside");
    REQUIRE(outside != nullptr);
    CHECK(outside->reason.message().find("/etc/passwd") != std::string::npos);
    CHECK(outside->reason.message().find("--follow-links") != std::string::npos);
}

TEST_CASE("folder: a link outside is followed into the folders that are named, and into no other") {
    const ScratchFolder folder;
    folder.write("shared/textures/wall.tga", "wall");
    folder.write("private/key.txt", "no");
    std::filesystem::create_directories(folder.path("game"));
    std::filesystem::create_symlink("../shared/textures", folder.path("game/textures"));
    std::filesystem::create_symlink("../shared/textures/wall.tga", folder.path("game/floor.tga"));
    std::filesystem::create_symlink("../private/key.txt", folder.path("game/key.txt"));
    std::filesystem::create_symlink("../../private", folder.path("shared/textures/deeper"));
    SourceListing listing({.link_roots = {folder.path("shared")}});
    require_good(list_folder(folder.path("game"), listing));
    CHECK(names_of(listing) == std::vector<std::string>{"floor.tga", "textures/wall.tga"});
    CHECK(*read_blob_text(*listing.entries[1].blob) == "wall");
    REQUIRE(listing.refused.size() == 2);
    CHECK(listing.refused[0].printable_name == "key.txt");
    CHECK(listing.refused[1].printable_name == "textures/deeper");
    CHECK(list_folder(folder.path("game"),
                      *std::make_unique<SourceListing>(ScanOptions{.link_roots = {folder.path("gone")}}))
              .error()
              .code() == ErrorCode::missing);
}

TEST_CASE("folder: links to folders that have links to folders end in a limit, not in a full memory") {
    const ScratchFolder folder;
    constexpr int kFolders = 24;
    for (int i = 0; i < kFolders; ++i) {
        const std::string name = "f" + std::to_string(i);
        folder.write(name + "/file", "x");
        for (const char* link : {"/l", "/r"})
            std::filesystem::create_symlink("../f" + std::to_string(i + 1), folder.path(name + link));
    }
    folder.write("f" + std::to_string(kFolders) + "/file", "x");
    SourceListing listing(ScanOptions{});
    CHECK(list_folder(folder.root().string(), listing).error().code() == ErrorCode::limit);
}

// A34
TEST_CASE("folder: a FIFO, a socket and a device are refused and reported") {
    const ScratchFolder folder;
    folder.write("file", "x");
    REQUIRE(::mkfifo(folder.path("fifo").c_str(), 0644) == 0);
    const int server = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, folder.path("socket").c_str(), sizeof address.sun_path - 1);
    REQUIRE(::bind(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    ::close(server);
    std::size_t special = 2;
    if (::mknod(folder.path("null").c_str(), S_IFCHR | 0644, 0x103) == 0)  // only root may
        ++special;
    const SourceListing listing = list(folder.root().string());
    CHECK(names_of(listing) == std::vector<std::string>{"file"});
    CHECK(listing.refused.size() == special);
    for (const RefusedName& refused : listing.refused)
        CHECK(refused.reason.code() == ErrorCode::malformed);
}

// A02–A06, A09–A11: names that are possible in a Unix folder and not in a bundle.
TEST_CASE("folder: bad names are refused and reported, and safe to show") {
    const ScratchFolder folder;
    const std::vector<std::string> names{"a\\b",    "a:b",       "a*",      "a?",      "a\"b",    "a|b",
                                         "a\nb",    "a\x1b[31m", "dot.",    "space ",  " space",  "con",
                                         "NUL.txt", "e\u0301",   "a\u200b", "caf\xe9", "\xc0\xaf"};
    for (const std::string& name : names)
        folder.write(name, "x");
    folder.write("good", "x");
    const SourceListing listing = list(folder.root().string());
    CHECK(names_of(listing) == std::vector<std::string>{"good"});
    CHECK(listing.refused.size() == names.size());
    for (const std::string& name : names) {
        CAPTURE(printable(name));
        const RefusedName* refused = find_refused(listing, printable(name));
        REQUIRE(refused != nullptr);
        CHECK(refused->reason.code() == ErrorCode::malformed);
        CHECK(refused->origin == folder.root().string() + '/' + printable(name));
    }
}

TEST_CASE("folder: a refused folder is reported once, for everything in it") {
    const ScratchFolder folder;
    folder.write("aux/a", "x");
    folder.write("aux/b", "x");
    folder.write("good/c", "x");
    const SourceListing listing = list(folder.root().string());
    CHECK(names_of(listing) == std::vector<std::string>{"good/c"});
    REQUIRE(listing.refused.size() == 1);
    CHECK(listing.refused[0].printable_name == "aux/");
}

// A11
TEST_CASE("folder: a folder deeper than names may be is refused and not listed") {
    const ScratchFolder folder;
    std::string path = "d";
    for (int i = 0; i < 70; ++i)
        path += "/d";
    folder.write(path + "/file", "x");
    const SourceListing listing = list(folder.root().string());
    CHECK(listing.entries.empty());
    REQUIRE(listing.refused.size() == 1);
    CHECK(listing.refused[0].reason.code() == ErrorCode::limit);
}

TEST_CASE("folder: excluded files and folders are reported with their pattern and not opened") {
    const ScratchFolder folder;
    folder.write(".git/config", "x");
    folder.write("mod/.git/config", "x");
    folder.write("mod/a.psd", "x");
    folder.write("mod/a.tga", "x");
    std::filesystem::create_symlink("a.tga", folder.path("mod/latest"));
    const std::vector<std::string> excludes{"**/.git/**", "**/*.psd", "mod/latest"};
    const SourceListing listing = list(folder.root().string(), excludes);
    CHECK(names_of(listing) == std::vector<std::string>{"mod/a.tga"});
    CHECK(listing.refused.empty());
    REQUIRE(listing.excluded.size() == 4);
    CHECK(listing.excluded[0].name == ".git/");
    CHECK(listing.excluded[0].pattern == "**/.git/**");
    CHECK(listing.excluded[1].name == "mod/.git/");
    CHECK(listing.excluded[2].name == "mod/a.psd");
    CHECK(listing.excluded[3].name == "mod/latest");
}

TEST_CASE("folder: a folder that may not be listed is denied, and the message names it") {
    const ScratchFolder folder;
    folder.write("closed/file", "x");
    REQUIRE(::chmod(folder.path("closed").c_str(), 0) == 0);
    {
        const Unprivileged user(folder);
        SourceListing listing({});
        const Status listed = list_folder(folder.root().string(), listing);
        REQUIRE_FALSE(listed);
        CHECK(listed.error().code() == ErrorCode::denied);
        CHECK(listed.error().message().starts_with(folder.path("closed")));
    }
    REQUIRE(::chmod(folder.path("closed").c_str(), 0755) == 0);
}

TEST_CASE("folder: a folder that does not exist is missing") {
    SourceListing listing({});
    CHECK(code_of(list_folder("/nowhere/at/all", listing)) == ErrorCode::missing);
}

TEST_CASE("folder: a .fardelignore excludes what its patterns match below it, and each is reported") {
    const ScratchFolder folder;
    folder.write(".fardelignore", "*.psd\nbuild/\n/top.txt\n");
    folder.write("a.psd", "");
    folder.write("top.txt", "");
    folder.write("build/x", "");
    folder.write("sub/build", "a file");
    folder.write("sub/top.txt", "");
    folder.write("sub/b.psd", "");
    folder.write("sub/.fardelignore", "!b.psd\nc.txt\n");
    folder.write("sub/c.txt", "");
    folder.write("other/c.txt", "");
    const SourceListing listing = list(folder.root().string());
    CHECK(names_of(listing) == std::vector<std::string>{"other/c.txt", "sub/b.psd", "sub/build", "sub/top.txt"});
    std::vector<std::string> excluded;
    for (const ExcludedName& one : listing.excluded)
        excluded.push_back(one.name + " by " + one.pattern);
    CHECK(excluded == std::vector<std::string>{".fardelignore by .fardelignore", "a.psd by .fardelignore: *.psd",
                                               "build/ by .fardelignore: build/", "sub/.fardelignore by .fardelignore",
                                               "sub/c.txt by sub/.fardelignore: c.txt",
                                               "top.txt by .fardelignore: /top.txt"});
    folder.write(".fardelignore", std::string(kIgnoreFileBytesMax + 1, '#'));
    SourceListing long_file(ScanOptions{});
    CHECK(code_of(list_folder(folder.root().string(), long_file)) == ErrorCode::limit);
}

TEST_CASE("folder: names of other systems are read as the author says, and reported") {
    const ScratchFolder folder;
    folder.write("textures\\wall.tga", "1");
    folder.write("n\u0303/a.txt", "2");
    SourceListing listing(ScanOptions{.names = "utf-8"});
    require_good(list_folder(folder.root().string(), listing));
    CHECK(names_of(listing) == std::vector<std::string>{"\u00f1/a.txt", "textures/wall.tga"});
    CHECK(listing.renamed.size() == 2);
}

}  // namespace fardel::tests::folder_scan_test
