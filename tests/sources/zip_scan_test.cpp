#include "source_listing.h"

#include "kit/archives.h"
#include "kit/blobs.h"

namespace fardel::tests::zip_scan_test {

SourceListing list(const std::vector<ZipMember>& members, const ZipShape& shape = {}) {
    SourceListing listing({});
    require_good(list_zip(make_memory_source(build_zip(members, shape)), "test.pk3", listing));
    return listing;
}

// Reads the only entry of a zip of one member through its blob.
Result<std::string> content_of(const ZipMember& member, std::size_t step = 4096) {
    const SourceListing listing = list({member});
    REQUIRE(listing.entries.size() == 1);
    return read_blob_text(*listing.entries[0].blob, step);
}

void check_corrupt(const ZipMember& member) {
    for (const std::size_t step : {1, 7, 4096}) {
        const Result<std::string> content = content_of(member, step);
        REQUIRE_FALSE(content);
        CHECK(content.error().code() == ErrorCode::corrupt);
        CHECK(content.error().message().starts_with("test.pk3: a.txt: "));
    }
}

struct BadName {
    const char* row;
    std::string name;
    ErrorCode code = ErrorCode::malformed;
};

std::string deep(std::size_t parts) {
    std::string name = "a";
    for (std::size_t i = 1; i < parts; ++i)
        name += "/a";
    return name;
}

TEST_CASE("zip: stored and deflated entries give their bytes, however they are read") {
    std::string content;
    for (unsigned i = 0; i < 50'000; ++i)
        content += static_cast<char>(i * i >> 3);
    for (const bool deflated : {false, true})
        for (const std::size_t step : {1, 1000, 65536})
            CHECK(*content_of({.name = "a.txt", .content = content, .deflated = deflated}, step) == content);
    CHECK(*content_of({.name = "empty", .content = ""}) == "");
    CHECK(*content_of({.name = "empty", .content = "", .deflated = true}) == "");
}

TEST_CASE("zip: entries are listed in order with size and origin; folders are no entries") {
    const SourceListing listing =
        list({{.name = "maps/"}, {.name = "maps/dm01.bsp", .content = "bsp"}, {.name = "default.cfg"}});
    CHECK(listing.refused.empty());
    REQUIRE(listing.entries.size() == 2);
    CHECK(listing.entries[0].name.text() == "maps/dm01.bsp");
    CHECK(listing.entries[0].origin.text() == "test.pk3: maps/dm01.bsp");
    CHECK(listing.entries[0].size_bytes == 3);
    CHECK(listing.entries[1].name.text() == "default.cfg");
}

// A01–A06, A09–A11: bad names of entries are refused and reported, never repaired.
TEST_CASE("zip: every bad name is reported with its rule, and no other name is lost") {
    const std::vector<BadName> names{
        {"A01", "../evil"},
        {"A01", "a/../b"},
        {"A01", "a/./b"},
        {"A01", "./a"},
        {"A01", "a//b"},
        {"A01", "/etc/passwd"},
        {"A01", ""},
        {"A02", "a\\b"},
        {"A02", "C:/a"},
        {"A02", "//host/share"},
        {"A02", "\\\\?\\C:\\a"},
        {"A02", "..\\..\\a"},
        {"A03", "a:stream"},
        {"A03", "a*"},
        {"A03", "a?"},
        {"A03", "a\"b"},
        {"A03", "a<b"},
        {"A03", "a>b"},
        {"A03", "a|b"},
        {"A03", std::string("a\0b", 3)},
        {"A03", "a\x1f"},
        {"A03", "a\x7f"},
        {"A03", "a\nb"},
        {"A04", "a."},
        {"A04", "a "},
        {"A04", " a"},
        {"A04", "a./b"},
        {"A05", "CON"},
        {"A05", "aux.txt"},
        {"A05", "x/Com1.tga"},
        {"A05", "lpt\u00b9"},
        {"A09", "e\u0301"},
        {"A09", "a\u202e.txt"},
        {"A09", "a\u200b"},
        {"A10", "\xc0\xaf"},
        {"A10", "\xed\xa0\x80"},
        {"A10", "caf\xe9"},
        {"A11", std::string(256, 'a'), ErrorCode::limit},
        {"A11", deep(65), ErrorCode::limit},
        {"A11", deep(32767), ErrorCode::limit},
        {"A11",
         std::string(250, 'a') + '/' + std::string(250, 'b') + '/' + std::string(250, 'c') + '/' +
             std::string(250, 'd') + '/' + std::string(250, 'e'),
         ErrorCode::limit},
    };
    std::vector<ZipMember> members;
    for (const BadName& bad : names)
        members.push_back(
            {.name = bad.name, .content = "evil", .made_by = 20});  // from DOS, for which PhysicsFS replaces '\\'
    members.push_back({.name = "good", .content = "good"});
    const SourceListing listing = list(members);
    REQUIRE(listing.refused.size() == names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        CAPTURE(names[i].row);
        CAPTURE(listing.refused[i].printable_name);
        CHECK(listing.refused[i].printable_name == printable(names[i].name));
        CHECK(listing.refused[i].origin == "test.pk3: " + printable(names[i].name));
        CHECK(listing.refused[i].reason.code() == names[i].code);
        for (const char shown : listing.refused[i].printable_name + listing.refused[i].reason.text())
            CHECK((static_cast<unsigned char>(shown) >= 0x20 && shown != 0x7f));
    }
    REQUIRE(listing.entries.size() == 1);
    CHECK(*read_blob_text(*listing.entries[0].blob) == "good");
}

// A07, A08, A12: PhysicsFS would refuse the whole archive, or lose one of them silently.
TEST_CASE("zip: names that contradict each other are all listed, and each has its own bytes") {
    const SourceListing listing = list({{.name = "a", .content = "1"},
                                        {.name = "a", .content = "2"},
                                        {.name = "A", .content = "3"},
                                        {.name = "a/b", .content = "4"}});
    REQUIRE(listing.entries.size() == 4);
    for (std::size_t i = 0; i < 4; ++i)
        CHECK(*read_blob_text(*listing.entries[i].blob) == std::to_string(i + 1));
}

constexpr std::uint32_t kLink = 0120777u << 16;

TEST_CASE("zip: a link gives the bytes of the entry that it leads to, under its own name") {
    const SourceListing listing = list({{.name = "dds/floor_gloss.dds", .content = "pixels"},
                                        {.name = "dds/floor.dds", .content = "floor_gloss.dds", .attributes = kLink},
                                        {.name = "dds/up.dds", .content = "./../dds//floor.dds", .attributes = kLink},
                                        {.name = "more", .content = "dds", .attributes = kLink},
                                        {.name = "through.dds", .content = "more/up.dds", .attributes = kLink}});
    std::vector<std::string> names;
    for (const SourceEntry& entry : listing.entries) {
        names.push_back(entry.name.text());
        CHECK(entry.size_bytes == 6);
        CHECK(*read_blob_text(*entry.blob) == "pixels");
    }
    CHECK(names == std::vector<std::string>{"dds/floor_gloss.dds", "dds/floor.dds", "dds/up.dds", "more/floor.dds",
                                            "more/floor_gloss.dds", "more/up.dds", "through.dds"});
    CHECK(listing.refused.empty());
}

// A13
TEST_CASE("zip: a link that leads outside, to nothing, in a circle or to a folder that it is in is refused") {
    const SourceListing listing = list({{.name = "a/outside", .content = "/etc/passwd", .attributes = kLink},
                                        {.name = "a/above", .content = "../../a/file", .attributes = kLink},
                                        {.name = "a/nothing", .content = "gone", .attributes = kLink},
                                        {.name = "a/circle", .content = "circle", .attributes = kLink},
                                        {.name = "a/itself", .content = ".", .attributes = kLink},
                                        {.name = "a/root", .content = "..", .attributes = kLink},
                                        {.name = "a/empty", .content = "", .attributes = kLink},
                                        {.name = "a/long", .content = std::string(5000, 'x'), .attributes = kLink},
                                        {.name = "a/secret", .content = ".env", .attributes = kLink},
                                        {.name = "a/.env", .content = "password"},
                                        {.name = "a/file", .content = "x"}});
    REQUIRE(listing.entries.size() == 2);
    CHECK(listing.entries[1].name.text() == "a/file");
    CHECK(listing.refused.size() == 9);
    for (const RefusedName& refused : listing.refused) {
        CAPTURE(refused.printable_name);
        CHECK(refused.reason.code() == ErrorCode::denied);
    }
}

TEST_CASE("zip: links to folders that have links to folders end in a limit, not in a full memory") {
    std::vector<ZipMember> members;
    for (int i = 0; i < 24; ++i) {
        const std::string name = "f" + std::to_string(i);
        members.push_back({.name = name + "/file", .content = "x"});
        for (const char* link : {"/l", "/r"})
            members.push_back({.name = name + link, .content = "../f" + std::to_string(i + 1), .attributes = kLink});
    }
    members.push_back({.name = "f24/file", .content = "x"});
    const SourceListing listing = list(members);
    CHECK(std::ranges::any_of(listing.refused,
                              [](const RefusedName& refused) { return refused.reason.code() == ErrorCode::limit; }));
}

// A17
TEST_CASE("zip: set-uid and exec bits are ignored") {
    CHECK(*content_of({.name = "run", .content = "x", .attributes = 0104755u << 16}) == "x");
}

TEST_CASE("zip: an entry that cannot be read is refused and reported") {
    const SourceListing listing =
        list({{.name = "secret", .flags = 1}, {.name = "lzma", .method = 14}, {.name = "folder/", .content = "bytes"}});
    CHECK(listing.entries.empty());
    REQUIRE(listing.refused.size() == 3);
    CHECK(listing.refused[0].reason.code() == ErrorCode::unsupported);
    CHECK(listing.refused[1].reason.code() == ErrorCode::unsupported);
    CHECK(listing.refused[2].reason.code() == ErrorCode::malformed);
    CHECK(listing.refused[2].printable_name == "folder/");
}

TEST_CASE("zip: a bad folder name is reported even if the folder is empty") {
    const SourceListing listing = list({{.name = "../"}, {.name = "/"}, {.name = "fine/"}});
    CHECK(listing.refused.size() == 2);
}

TEST_CASE("zip: an entry whose CRC-32 does not match is corrupt") {
    for (const bool deflated : {false, true}) {
        check_corrupt({.name = "a.txt", .content = "hello", .deflated = deflated, .crc32 = 1});
        ZipMember changed{.name = "a.txt", .content = "hello", .deflated = deflated};
        changed.stored = deflated ? std::string(
                                        "\1\5\0\xfa\xff"
                                        "jello",
                                        10)
                                  : "jello";
        check_corrupt(changed);
    }
}

TEST_CASE("zip: an entry that is shorter or longer than its size is corrupt") {
    check_corrupt({.name = "a.txt", .content = "hello", .deflated = true, .raw_bytes = 6});
    check_corrupt({.name = "a.txt", .content = "hello", .deflated = true, .raw_bytes = 4});
    check_corrupt({.name = "a.txt", .content = "hello", .deflated = true, .raw_bytes = 0x7fff'0000});
    check_corrupt({.name = "a.txt", .content = "hello", .deflated = true, .raw_bytes = 0xffff'fffe});
}

TEST_CASE("zip: each flipped bit of deflated bytes is corrupt or harmless, and reading ends") {
    // "hello hello hello hello" by zlib: one block of fixed codes.
    const std::string deflated("\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x27\x01", 10);
    const std::string content = "hello hello hello hello";
    const ZipMember whole{.name = "a.txt", .content = content, .deflated = true, .stored = deflated};
    REQUIRE(content_of(whole));
    REQUIRE(*content_of(whole) == content);
    for (std::size_t bit = 0; bit < deflated.size() * 8; ++bit) {
        ZipMember flipped = whole;
        flipped.stored[bit / 8] = static_cast<char>(flipped.stored[bit / 8] ^ 1 << bit % 8);
        const Result<std::string> read = content_of(flipped);
        CHECK((read ? *read == content : read.error().code() == ErrorCode::corrupt));
    }
    for (std::size_t size = 1; size < deflated.size(); ++size) {
        ZipMember cut = whole;
        cut.stored.resize(size);
        const Result<std::string> read = content_of(cut);
        CHECK((read ? *read == content : read.error().code() == ErrorCode::corrupt));
    }
}

TEST_CASE("zip: an entry without a local header is corrupt") {
    std::vector<std::byte> bytes = build_zip({{.name = "a.txt", .content = "hello"}});
    bytes[0] = std::byte{'Q'};
    SourceListing listing({});
    REQUIRE(list_zip(make_memory_source(bytes), "test.pk3", listing));
    const Result<std::string> content = read_blob_text(*listing.entries[0].blob);
    REQUIRE_FALSE(content);
    CHECK(content.error().code() == ErrorCode::corrupt);
    CHECK(content.error().message().starts_with("test.pk3: a.txt: "));
}

TEST_CASE("zip: blobs are read from several threads at once, and outlive the listing") {
    std::vector<ZipMember> members;
    for (int i = 0; i < 50; ++i)
        members.push_back({.name = "f" + std::to_string(i),
                           .content = std::string(10'000, static_cast<char>('a' + i % 26)),
                           .deflated = i % 2 == 0});
    std::vector<SourceEntry> entries = std::move(list(members).entries);
    std::vector<std::jthread> threads;
    std::vector<int> good(4);
    for (int& count : good)
        threads.emplace_back([&entries, &members, &count] {
            for (std::size_t i = 0; i < entries.size(); ++i) {
                const Result<std::string> content = read_blob_text(*entries[i].blob, 777);
                count += content && *content == members[i].content;
            }
        });
    threads.clear();
    for (const int count : good)
        CHECK(count == 50);
}

TEST_CASE("zip: excluded names are reported with their pattern") {
    const std::vector<std::string> excludes{"**/*.txt", "src/**"};
    SourceListing listing({.excludes = {excludes.begin(), excludes.end()}});
    REQUIRE(list_zip(
        make_memory_source(build_zip({{.name = "a.txt"}, {.name = "src/"}, {.name = "src/x.c"}, {.name = "b.tga"}})),
        "test.pk3", listing));
    CHECK(listing.entries.size() == 1);
    REQUIRE(listing.excluded.size() == 3);
    CHECK(listing.excluded[0].name == "a.txt");
    CHECK(listing.excluded[0].pattern == "**/*.txt");
    CHECK(listing.excluded[1].name == "src/");
    CHECK(listing.excluded[2].name == "src/x.c");
}

TEST_CASE("zip: names of other systems are read as the author says, and reported") {
    SourceListing listing(ScanOptions{.names = "cp437"});
    const Bytes zip = build_zip({{.name = "textures\\", .made_by = 20},
                                 {.name = "textures\\wall.tga", .content = "1", .made_by = 20},
                                 {.name = "T\x81r.png", .content = "2", .made_by = 20},
                                 {.name = "Ocan\u0303a.jpg", .content = "3", .flags = 0x800},
                                 {.name = "ok.txt", .content = "4"},
                                 {.name = "..\\..\\etc", .content = "5"}});
    require_good(list_zip(make_memory_source(zip), "test.zip", listing));
    std::vector<std::string> names;
    for (const SourceEntry& entry : listing.entries)
        names.push_back(entry.name.text());
    CHECK(names == std::vector<std::string>{"textures/wall.tga", "T\u00fcr.png", "Oca\u00f1a.jpg", "ok.txt"});
    CHECK(*read_blob_text(*listing.entries[0].blob) == "1");
    REQUIRE(listing.renamed.size() == 3);
    CHECK(listing.renamed[0].printable_name == "textures\\wall.tga");
    CHECK(listing.renamed[0].origin == "test.zip: textures\\wall.tga");
    CHECK(listing.renamed[1].printable_name == "T\\x81r.png");
    CHECK(listing.refused.size() == 1);
}

TEST_CASE("zip: a name that could be read otherwise is refused with what to say") {
    const SourceListing listing = list({{.name = "textures\\wall.tga"}, {.name = "T\x81r.png"}});
    REQUIRE(listing.refused.size() == 2);
    CHECK(listing.refused[0].reason.message().find("with --names utf-8 it is \"textures/wall.tga\"") !=
          std::string::npos);
    CHECK(listing.refused[1].reason.message().find("--names says which code page it is in") != std::string::npos);
}

TEST_CASE("zip: an unknown compression is called by its name") {
    const SourceListing listing = list({{.name = "explorer", .method = 9}, {.name = "odd", .method = 77}});
    REQUIRE(listing.refused.size() == 2);
    CHECK(
        listing.refused[0].reason.message().starts_with("compressed by Deflate64 (Windows Explorer) (zip method 9); "));
    CHECK(listing.refused[1].reason.message().starts_with("compressed by zip method 77; "));
}

TEST_CASE("zip: junk of Finder and editors is excluded, whatever its name") {
    SourceListing listing(ScanOptions{.excludes = usual_excludes()});
    const Bytes zip = build_zip({{.name = "mod/a.shader"},
                                 {.name = "__MACOSX/mod/._a.shader"},
                                 {.name = "__MACOSX/mod/Icon\r"},
                                 {.name = "mod/._a.shader"},
                                 {.name = "mod/a.shader~"},
                                 {.name = "mod/.a.shader.swp"},
                                 {.name = "mod/#a.shader#"},
                                 {.name = "mod/.#a.shader"},
                                 {.name = "mod/4913"},
                                 {.name = "mod/a.shader.orig"}});
    require_good(list_zip(make_memory_source(zip), "test.zip", listing));
    CHECK(listing.entries.size() == 1);
    CHECK(listing.excluded.size() == 9);
    CHECK(listing.refused.empty());
}

}  // namespace fardel::tests::zip_scan_test
