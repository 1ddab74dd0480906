#include "source_listing.h"

#include <fardel/base/little_endian.h>
#include "kit/archives.h"
#include "kit/blobs.h"
#include "kit/restricted_program.h"
#include "zip_signature.h"

#include <fardel/format/bundle.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/sources/legacy_archives.h>

namespace fardel::tests::archive_scan_test {

// A pak of Quake: records of 64 bytes, the name in the first 56.
std::vector<std::byte> build_pak(const std::vector<std::pair<std::string, std::string>>& members) {
    std::string data;
    std::vector<std::byte> directory;
    for (const auto& [name, content] : members) {
        for (std::size_t i = 0; i < 56; ++i)
            directory.push_back(static_cast<std::byte>(i < name.size() && i < 55 ? name[i] : '\0'));
        append_le(directory, static_cast<std::uint32_t>(12 + data.size()));
        append_le(directory, static_cast<std::uint32_t>(content.size()));
        data += content;
    }
    std::vector<std::byte> out;
    append_le<std::uint32_t>(out, 0x4b43'4150);
    append_le(out, static_cast<std::uint32_t>(12 + data.size()));
    append_le(out, static_cast<std::uint32_t>(directory.size()));
    const auto bytes = std::as_bytes(std::span(data));
    out.insert(out.end(), bytes.begin(), bytes.end());
    out.insert(out.end(), directory.begin(), directory.end());
    return out;
}

SourceListing list(const std::string& path) {
    SourceListing listing({});
    require_good(list_archive(path, make_archive_reader_with(FARDEL_ARCHIVE_PROGRAM).get(), listing));
    return listing;
}

void check_refused(const std::string& path, ErrorCode code) {
    SourceListing listing({});
    const auto start = std::chrono::steady_clock::now();
    const Status listed = list_archive(path, make_archive_reader_with(FARDEL_ARCHIVE_PROGRAM).get(), listing);
    REQUIRE_FALSE(listed);
    CHECK(listed.error().code() == code);
    CHECK(listed.error().message().starts_with(path));
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("archive: the signature decides the format, and the file's name does not") {
    const ScratchFolder folder;
    for (const char* name : {"a.zip", "a.pk3", "a.7z", "a", "a.we:ird"}) {
        const SourceListing listing = list(folder.write(name, build_zip({{.name = "x", .content = "in a zip"}})));
        REQUIRE(listing.entries.size() == 1);
        CHECK(*read_blob_text(*listing.entries[0].blob) == "in a zip");
    }
    for (const char* name : {"b.pak", "b.zip", "b", "b.we:ird"}) {
        const SourceListing listing = list(folder.write(name, build_pak({{"x", "in a pak"}})));
        REQUIRE(listing.entries.size() == 1);
        CHECK(*read_blob_text(*listing.entries[0].blob) == "in a pak");
    }
}

TEST_CASE("archive: it is unsupported without a reader, and other files are refused as with a reader") {
    const ScratchFolder folder;
    const auto code_of = [&](const std::string& path) {
        SourceListing listing({});
        const Status listed = list_archive(path, nullptr, listing);
        REQUIRE_FALSE(listed);
        CHECK(listed.error().message().starts_with(path));
        CHECK(find_archive_kind(path).has_value() == (listed.error().code() != ErrorCode::missing));
        return listed.error().code();
    };
    CHECK(code_of(folder.write("a.pk3", build_zip({{.name = "x"}}))) == ErrorCode::unsupported);
    CHECK(code_of(folder.write("b.pak", build_pak({{"x", "1"}}))) == ErrorCode::unsupported);
    CHECK(code_of(folder.write("text.pk3", "a readme, renamed")) == ErrorCode::malformed);
    CHECK(code_of(folder.path("none.pk3")) == ErrorCode::missing);
}

TEST_CASE("archive: a zip behind a program is a zip; a pak that ends like a zip is a pak") {
    const ScratchFolder folder;
    CHECK(list(folder.write("setup.exe", build_zip({{.name = "x"}}, {.prefix = "MZ program"}))).entries.size() == 1);
    const auto zip = build_zip({{.name = "x"}});
    std::vector<std::byte> pak = build_pak({{"y", "1"}, {"z", "2"}});
    pak.insert(pak.end(), zip.begin(), zip.end());
    CHECK(list(folder.write("both.pak", pak)).entries.size() == 2);
}

// A32
TEST_CASE("archive: a bundle that is a zip as well is a bundle") {
    const ScratchFolder folder;
    std::string content(70'000, '\0');
    for (std::mt19937 random(1); char& byte : content)
        byte = static_cast<char>(random());
    const auto zip = build_zip({{.name = "x"}});
    content.append(reinterpret_cast<const char*>(zip.data()), zip.size());
    const auto write = [&] {
        BundlePlan plan;
        const auto bytes = std::as_bytes(std::span(content));
        plan.assets.push_back({.source = make_memory_blob({bytes.begin(), bytes.end()}), .key = "x"});
        auto bundle = write_bundle(plan, folder.path("both.fardel"), {.jobs = 1});
        REQUIRE(bundle);
        REQUIRE(bundle->commit());
        return std::filesystem::file_size(folder.path("both.fardel"));
    };
    // The bytes behind the zip are its comment, whose length is in the last two bytes of the zip.
    const std::uint64_t size = write();
    std::string file(size, '\0');
    std::ifstream(folder.path("both.fardel"), std::ios::binary).read(file.data(), static_cast<std::streamsize>(size));
    const std::size_t behind = size - file.rfind(std::string_view("PK\x05\x06")) - 22;
    content[content.size() - 2] = static_cast<char>(behind & 0xff);
    content[content.size() - 1] = static_cast<char>(behind >> 8);
    REQUIRE(write() == size);

    const auto source = open_file_source(folder.path("both.fardel")).value();
    CHECK(ends_like_zip(*source).value());
    const auto bundle = Bundle::open(source, {});
    REQUIRE(bundle);
    const auto asset = (*bundle)->read_all(AssetIndex{0});
    REQUIRE(asset);
    CHECK(std::ranges::equal(*asset, std::as_bytes(std::span(content))));
    check_refused(folder.path("both.fardel"), ErrorCode::unsupported);
}

TEST_CASE("archive: a pak is listed with its folders, and its bad names are reported") {
    const ScratchFolder folder;
    const SourceListing listing = list(folder.write("pak0.pak", build_pak({{"maps/start.bsp", "map"},
                                                                           {"gfx/../evil", "1"},
                                                                           {"a\\b", "2"},
                                                                           {"/abs", "3"},
                                                                           {"con.txt", "4"},
                                                                           {"sub//x", "5"},
                                                                           {"gfx/palette.lmp", "6"}})));
    std::vector<std::string> names;
    for (const SourceEntry& entry : listing.entries)
        names.push_back(entry.name.text());
    CHECK(names == std::vector<std::string>{"gfx/palette.lmp", "maps/start.bsp"});
    CHECK(listing.entries[1].origin.text() == folder.path("pak0.pak") + ": maps/start.bsp");
    CHECK(listing.entries[1].size_bytes == 3);
    // PhysicsFS shows each of the five in some folder, under this name or a part of it.
    std::vector<std::string> refused;
    for (const RefusedName& name : listing.refused)
        refused.push_back(name.printable_name);
    CHECK(refused == std::vector<std::string>{"a\\b", "abs", "con.txt", "gfx/..", "sub/"});
}

TEST_CASE("archive: a 7z is read") {
    const ScratchFolder folder;
    const SourceListing listing = list(folder.write("mod.7z", text_of(bytes_of_hex(kSevenZip))));
    REQUIRE(listing.entries.size() == 2);
    CHECK(listing.entries[0].name.text() == "default.cfg");
    CHECK(read_blob_text(*listing.entries[0].blob)->starts_with("bind x quit\n"));
    CHECK(listing.entries[1].name.text() == "maps/dm01.bsp");
    CHECK(*read_blob_text(*listing.entries[1].blob, 3) == "a level");
}

TEST_CASE("archive: a 7z whose bytes changed is corrupt or malformed") {
    const ScratchFolder folder;
    std::string bytes = text_of(bytes_of_hex(kSevenZip));
    bytes[50] ^= 1;  // in the compressed content, which has a CRC-32
    const SourceListing listing = list(folder.write("mod.7z", bytes));
    CHECK(code_of(read_blob_text(*listing.entries[0].blob)) == ErrorCode::corrupt);
    bytes[180] ^= 1;  // in the header
    check_refused(folder.write("mod2.7z", bytes), ErrorCode::malformed);
}

TEST_CASE("archive: an entry that reaches past the end of a pak is corrupt") {
    const ScratchFolder folder;
    std::vector<std::byte> pak = build_pak({{"a", "1"}});
    pak[pak.size() - 2] = std::byte{1};  // its size, plus 65536
    const SourceListing listing = list(folder.write("a.pak", pak));
    const Result<std::string> content = read_blob_text(*listing.entries[0].blob);
    REQUIRE_FALSE(content);
    CHECK(content.error().code() == ErrorCode::corrupt);
    CHECK(content.error().message().starts_with(folder.path("a.pak") + ": a: "));
}

TEST_CASE("archive: a broken pak or zip is malformed") {
    const ScratchFolder folder;
    std::vector<std::byte> pak = build_pak({{"a", "1"}, {"b", "2"}});
    pak.resize(pak.size() - 1);
    check_refused(folder.write("a.pak", pak), ErrorCode::malformed);
    std::vector<std::byte> zip = build_zip({{.name = "a"}});
    zip.resize(zip.size() - 1);
    check_refused(folder.write("a.zip", zip), ErrorCode::malformed);
}

// A34
TEST_CASE("archive: a missing file, an empty one, garbage, a FIFO and a device are refused at once") {
    const ScratchFolder folder;
    check_refused(folder.path("none.pk3"), ErrorCode::missing);
    check_refused(folder.path("none/none.pk3"), ErrorCode::missing);
    check_refused(folder.write("empty.pk3", ""), ErrorCode::malformed);
    check_refused(folder.write("text.pk3", "a readme, renamed"), ErrorCode::malformed);
    std::string garbage(100'000, '\0');
    for (std::mt19937 random(1); char& byte : garbage)
        byte = static_cast<char>(random());
    check_refused(folder.write("garbage.pk3", garbage), ErrorCode::malformed);
    REQUIRE(::mkfifo(folder.path("fifo").c_str(), 0644) == 0);
    check_refused(folder.path("fifo"), ErrorCode::malformed);
    check_refused("/dev/zero", ErrorCode::malformed);
}

TEST_CASE("archive: a file that may not be read is denied") {
    const ScratchFolder folder;
    const std::string path = folder.write("a.pk3", build_zip({{.name = "a"}}));
    REQUIRE(::chmod(path.c_str(), 0) == 0);
    const Unprivileged user(folder);
    check_refused(path, ErrorCode::denied);
}

TEST_CASE("archive: replacing the file after the scan changes nothing") {
    const ScratchFolder folder;
    const std::string path = folder.write("a.pk3", build_zip({{.name = "a", .content = "old"}}));
    const SourceListing listing = list(path);
    std::filesystem::remove(path);
    folder.write("a.pk3", build_zip({{.name = "a", .content = "new"}}));
    CHECK(*read_blob_text(*listing.entries[0].blob) == "old");
}

// A WAD of Doom: records of 16 bytes, the name in the last 8.
std::string build_wad(const std::vector<std::pair<std::string, std::string>>& lumps) {
    std::string data, directory;
    const auto number = [](std::size_t value) {
        std::string bytes;
        for (int i = 0; i < 4; ++i)
            bytes += static_cast<char>(value >> (8 * i));
        return bytes;
    };
    for (const auto& [name, content] : lumps) {
        directory += number(12 + data.size()) + number(content.size()) + name + std::string(8 - name.size(), '\0');
        data += content;
    }
    return "PWAD" + number(lumps.size()) + number(12 + data.size()) + data + directory;
}

TEST_CASE("archive: a name that a pak, grp or wad has more than once is reported, and the last file counts") {
    const ScratchFolder folder;
    const SourceListing pak =
        list(folder.write("a.pak", build_pak({{"a.cfg", "1"}, {"b.cfg", "2"}, {"a.cfg", "3"}, {"a.cfg", "4"}})));
    REQUIRE(pak.entries.size() == 2);
    CHECK(*read_blob_text(*pak.entries[0].blob) == "4");
    REQUIRE(pak.refused.size() == 1);
    CHECK(pak.refused[0].printable_name == "a.cfg");
    CHECK(pak.refused[0].reason.code() == ErrorCode::conflict);
    CHECK(pak.refused[0].reason.message().find("3 files of this name") != std::string::npos);

    const std::string grp = "KenSilverman" + std::string("\2\0\0\0", 4) +
                            std::string("A.ART\0\0\0\0\0\0\0\1\0\0\0", 16) +
                            std::string("A.ART\0\0\0\0\0\0\0\1\0\0\0", 16) + "12";
    CHECK(list(folder.write("a.grp", grp)).refused.size() == 1);
    CHECK(list(folder.write("a.wad", build_wad({{"PIC", "1"}, {"PIC", "2"}}))).refused.size() == 1);
    CHECK(list(folder.write("b.wad", build_wad({{"PIC", "1"}, {"SOUND", "2"}}))).refused.empty());
}

TEST_CASE("archive: a WAD whose lumps have their meaning by their order is refused with that sentence") {
    const ScratchFolder folder;
    for (const char* lump : {"THINGS", "S_START", "TEXTMAP"}) {
        SourceListing listing({});
        const std::string path = folder.write("doom.wad", build_wad({{"MAP01", ""}, {lump, "1"}}));
        const Status listed = list_archive(path, make_archive_reader_with(FARDEL_ARCHIVE_PROGRAM).get(), listing);
        CHECK(code_of(listed) == ErrorCode::unsupported);
        CHECK(listed.error().message().find("by their order") != std::string::npos);
    }
}

}  // namespace fardel::tests::archive_scan_test
