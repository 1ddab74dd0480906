#include "zip_directory.h"

#include "kit/archives.h"
#include "kit/test.h"
#include "zip_signature.h"

namespace fardel::tests::zip_directory_test {

Result<ZipDirectory> directory_of(std::vector<std::byte> bytes) {
    return read_zip_directory(*make_memory_source(std::move(bytes)));
}

void check_refused(std::vector<std::byte> bytes, ErrorCode code = ErrorCode::malformed) {
    CHECK(code_of(directory_of(std::move(bytes))) == code);
}

std::vector<std::byte> two_members() {
    return build_zip(
        {{.name = "a.txt", .content = "hello"}, {.name = "b/c", .content = "hello, deflate", .deflated = true}});
}

template <std::unsigned_integral T>
std::vector<std::byte> le(std::initializer_list<T> values) {
    std::vector<std::byte> out;
    for (const T value : values)
        for (std::size_t i = 0; i < sizeof(T); ++i)
            out.push_back(static_cast<std::byte>(value >> (8 * i)));
    return out;
}

// A zip64 extra field with these values.
std::vector<std::byte> zip64_field(std::initializer_list<std::uint64_t> values) {
    std::vector<std::byte> out = le<std::uint16_t>({1, static_cast<std::uint16_t>(8 * values.size())});
    const std::vector<std::byte> numbers = le<std::uint64_t>(values);
    out.insert(out.end(), numbers.begin(), numbers.end());
    return out;
}

TEST_CASE("zip directory: every field of a record is read") {
    const auto directory = directory_of(two_members());
    REQUIRE(directory);
    REQUIRE(directory->entries.size() == 2);
    const ZipEntry& a = directory->entries[0];
    CHECK(a.name == "a.txt");
    CHECK(a.header_offset == 0);
    CHECK(a.stored_bytes == 5);
    CHECK(a.raw_bytes == 5);
    CHECK(a.crc32 == 0x3610'a686);
    CHECK(a.method == kZipStored);
    CHECK_FALSE(a.encrypted);
    CHECK_FALSE(a.link);
    const ZipEntry& c = directory->entries[1];
    CHECK(c.name == "b/c");
    CHECK(c.header_offset == 40);
    CHECK(c.stored_bytes == 19);
    CHECK(c.raw_bytes == 14);
    CHECK(c.method == kZipDeflated);
    CHECK(directory->data_end == 92);
}

TEST_CASE("zip directory: names are returned unchanged, in the directory's order, with repetitions") {
    const std::vector<std::string> names{"z", "a", "../a", "a", std::string("a\0b", 3), "", "\xff", "d/"};
    std::vector<ZipMember> members;
    for (const std::string& name : names)
        members.push_back({.name = name});
    const auto directory = directory_of(build_zip(members));
    REQUIRE(directory);
    REQUIRE(directory->entries.size() == names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
        CHECK(directory->entries[i].name == names[i]);
}

TEST_CASE("zip directory: encryption and links are recognised") {
    const auto directory = directory_of(build_zip(
        {{.name = "secret", .flags = 1}, {.name = "link", .content = "target", .attributes = 0120777u << 16}}));
    REQUIRE(directory);
    CHECK(directory->entries[0].encrypted);
    CHECK(directory->entries[1].link);
}

TEST_CASE("zip directory: a zip without entries is a zip") {
    const auto directory = directory_of(build_zip({}));
    REQUIRE(directory);
    CHECK(directory->entries.empty());
    CHECK(directory->data_end == 0);
}

TEST_CASE("zip directory: a comment and a program in front change nothing but the offsets") {
    const std::string program(100, '#');
    const auto directory = directory_of(
        build_zip({{.name = "a", .content = "x"}}, {.prefix = program, .comment = std::string(0xffff, 'c')}));
    REQUIRE(directory);
    CHECK(directory->entries[0].header_offset == 100);
    const auto source = make_memory_source(build_zip({{.name = "a"}}, {.prefix = program}));
    CHECK_FALSE(*begins_like_zip(*source));
    CHECK(*ends_like_zip(*source));
}

TEST_CASE("zip directory: zip64 is read") {
    const auto directory = directory_of(
        build_zip({{.name = "a", .content = "x", .extra = zip64_field({1, 1, 0})}}, {.prefix = "##", .zip64 = true}));
    REQUIRE(directory);
    REQUIRE(directory->entries.size() == 1);
    CHECK(directory->entries[0].header_offset == 2);

    ZipMember member{.name = "a", .content = "x", .extra = zip64_field({1, 1, 0})};
    member.stored_bytes = member.raw_bytes = member.header_offset = 0xffff'ffff;
    const auto large = directory_of(build_zip({member}, {.zip64 = true}));
    REQUIRE(large);
    CHECK(large->entries[0].stored_bytes == 1);
    CHECK(large->entries[0].raw_bytes == 1);
    CHECK(large->entries[0].header_offset == 0);

    // A24: sums that leave 64 bits
    for (const std::uint64_t hostile : {~std::uint64_t{0}, ~std::uint64_t{0} - 29, std::uint64_t{1} << 63}) {
        member.extra = zip64_field({hostile, hostile, 0});
        check_refused(build_zip({member}, {.zip64 = true}));
        member.extra = zip64_field({1, 1, hostile});
        check_refused(build_zip({member}, {.prefix = "#", .zip64 = true}));
    }
    member.extra = zip64_field({1});  // too short
    check_refused(build_zip({member}, {.zip64 = true}));
}

// A20
TEST_CASE("zip directory: each proper prefix of a zip is refused") {
    const std::vector<std::byte> whole = two_members();
    for (std::size_t size = 0; size < whole.size(); ++size)
        check_refused({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
}

// A22
TEST_CASE("zip directory: one byte more at the end is remarked and changes no entry; inside, it is refused") {
    const std::vector<std::byte> whole = two_members();
    for (std::size_t at = 92; at < whole.size(); ++at) {  // the directory and the end record
        std::vector<std::byte> bytes = whole;
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), std::byte{0});
        CAPTURE(at);
        if (const auto directory = directory_of(bytes))
            CHECK(directory->entries.size() == 2);
    }
    std::vector<std::byte> bytes = whole;
    bytes.push_back(std::byte{0});
    const auto directory = directory_of(bytes);
    REQUIRE(directory);
    CHECK(directory->entries.size() == 2);
    CHECK(directory->remarks.size() == 1);
}

// A21
TEST_CASE("zip directory: each flipped bit is refused or keeps every entry inside the file") {
    for (const std::vector<std::byte>& whole :
         {two_members(),
          build_zip({{.name = "a", .content = "x", .extra = zip64_field({1, 1, 0})}}, {.zip64 = true})}) {
        for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
            std::vector<std::byte> bytes = whole;
            bytes[bit / 8] ^= std::byte{1} << (bit % 8);
            const auto directory = directory_of(bytes);
            if (!directory)
                continue;
            for (const ZipEntry& entry : directory->entries)
                CHECK(entry.header_offset + 30 + entry.stored_bytes <= directory->data_end);
        }
    }
}

TEST_CASE("zip directory: an entry count that does not fit its bytes is refused") {
    const std::vector<ZipMember> members{{.name = "a"}, {.name = "b"}};
    check_refused(build_zip(members, {.count = 1}));
    check_refused(build_zip(members, {.count = 3}));
    check_refused(build_zip(members, {.count = 0xffff}));
    check_refused(build_zip(members, {.count = 0}));
}

TEST_CASE("zip directory: a directory at another offset, or longer than the file, is refused") {
    const std::vector<ZipMember> members{{.name = "a"}, {.name = "b"}};
    for (const std::uint32_t hostile : {1u, 0x7fff'ffffu, 0xffff'fffeu, 0xffff'ffffu}) {
        check_refused(build_zip(members, {.directory_bytes = hostile}));
        check_refused(build_zip(members, {.directory_offset = hostile}));
    }
}

// A24
TEST_CASE("zip directory: an entry that reaches past the data is refused") {
    for (const std::uint32_t hostile :
         {3u, 1000u, 0x7fff'ffffu, 0xffff'fffeu, 0xffff'ffffu}) {  // 2 would overwrite the name
        ZipMember member{.name = "a", .content = "x"};
        member.stored_bytes = member.raw_bytes = hostile;
        check_refused(build_zip({member}));
    }
    for (const std::uint32_t hostile : {3u, 1000u, 0xffff'fffeu})
        check_refused(build_zip({{.name = "a", .content = "x", .header_offset = hostile}}));
}

TEST_CASE("zip directory: a stored entry with two sizes is refused") {
    check_refused(build_zip({{.name = "a", .content = "xyz", .raw_bytes = 1000}}));
}

// A40: a zip that unpacks to more than its size allows
TEST_CASE("zip directory: entries that share bytes are refused") {
    check_refused(build_zip({{.name = "a", .content = "xyz"}, {.name = "b", .content = "xyz", .header_offset = 0}}));
    check_refused(build_zip(
        {{.name = "a", .content = std::string(100, 'x')}, {.name = "b", .content = "xyz", .header_offset = 40}}));
}

TEST_CASE("zip directory: a zip on several disks is not supported") {
    std::vector<std::byte> bytes = two_members();
    bytes[bytes.size() - 22 + 4] = std::byte{1};
    check_refused(bytes, ErrorCode::unsupported);
}

// A34
TEST_CASE("zip directory: garbage is not a zip") {
    std::mt19937 random(1);
    for (int i = 0; i < 100; ++i) {
        std::vector<std::byte> bytes(random() % 1000);
        for (std::byte& byte : bytes)
            byte = static_cast<std::byte>(random());
        CHECK_FALSE(*begins_like_zip(*make_memory_source(bytes)));
        CHECK_FALSE(*ends_like_zip(*make_memory_source(bytes)));
        check_refused(bytes);
    }
}

TEST_CASE("zip directory: a file that begins like a zip is recognised, whatever follows") {
    std::vector<std::byte> bytes = two_members();
    bytes.resize(4);
    CHECK(*begins_like_zip(*make_memory_source(bytes)));
    CHECK_FALSE(*ends_like_zip(*make_memory_source(bytes)));
    bytes.resize(3);
    CHECK_FALSE(*begins_like_zip(*make_memory_source(bytes)));
}

TEST_CASE("zip directory: the data of an entry begin after its local header") {
    const auto source = make_memory_source(two_members());
    const auto directory = read_zip_directory(*source);
    REQUIRE(directory);
    CHECK(*read_zip_data_offset(*source, directory->data_end, directory->entries[0]) == 35);

    ZipEntry elsewhere = directory->entries[0];
    elsewhere.header_offset = 1;
    CHECK(code_of(read_zip_data_offset(*source, directory->data_end, elsewhere)) == ErrorCode::corrupt);
}

TEST_CASE("zip directory: a local header whose name pushes the data into the directory is corrupt") {
    std::vector<std::byte> bytes = build_zip({{.name = "a", .content = "x"}});
    bytes[28] = std::byte{0xff};  // length of the extra field
    const auto source = make_memory_source(bytes);
    const auto directory = read_zip_directory(*source);
    REQUIRE(directory);
    CHECK(code_of(read_zip_data_offset(*source, directory->data_end, directory->entries[0])) == ErrorCode::corrupt);
}

TEST_CASE("zip directory: more entries than 16 bits count are read without zip64, and remarked") {
    std::vector<ZipMember> members;
    for (int i = 0; i < 65'540; ++i)
        members.push_back({.name = std::to_string(i)});
    const auto directory = directory_of(build_zip(members));
    REQUIRE(directory);
    CHECK(directory->entries.size() == 65'540);
    CHECK(directory->entries.back().name == "65539");
    REQUIRE(directory->remarks.size() == 1);
    CHECK(directory->remarks[0] == "65540 entries, of which it counts 4; it should be zip64");
    members.resize(65'536);
    CHECK(value_of(directory_of(build_zip(members))).entries.size() == 65'536);
    CHECK(value_of(directory_of(build_zip(members, {.zip64 = true}))).remarks.empty());
}

TEST_CASE("zip directory: bytes behind the end are remarked, also behind a program") {
    for (const std::size_t behind : {1u, 512u, 8192u, 1u << 20}) {
        for (const char* prefix : {"", "MZ a program"}) {
            Bytes zip = build_zip({{.name = "a.txt", .content = "hello"}}, {.prefix = prefix});
            zip.resize(zip.size() + behind);
            CHECK(value_of(ends_like_zip(*make_memory_source(zip))));
            const auto directory = directory_of(std::move(zip));
            REQUIRE(directory);
            CHECK(directory->entries.size() == 1);
            REQUIRE(directory->remarks.size() == 1);
            CHECK(directory->remarks[0] == std::to_string(behind) + " bytes behind the end of the zip");
        }
    }
    Bytes far = build_zip({{.name = "a.txt", .content = "hello"}});
    far.resize(far.size() + kBehindZipMax + 0x20000);
    check_refused(std::move(far));
}

TEST_CASE("zip directory: bytes between the directory and the end record are remarked") {
    Bytes zip = build_zip({{.name = "a.txt", .content = "hello"}});
    zip.insert(zip.end() - 22, 16, std::byte{0});
    const auto directory = directory_of(std::move(zip));
    REQUIRE(directory);
    CHECK(directory->entries.size() == 1);
    CHECK(directory->entries[0].header_offset == 0);
    REQUIRE(directory->remarks.size() == 1);
    CHECK(directory->remarks[0] == "16 bytes behind the directory of the zip");
}

TEST_CASE("zip directory: of two records of one file the last counts; two names of one file are refused") {
    const auto directory =
        directory_of(build_zip({{.name = "a", .content = "x"}, {.name = "a", .content = "x", .header_offset = 0}}));
    REQUIRE(directory);
    CHECK(directory->entries.size() == 1);
    CHECK(directory->remarks.size() == 1);
    check_refused(build_zip({{.name = "a", .content = "x"}, {.name = "b", .content = "x", .header_offset = 0}}));
}

TEST_CASE("zip directory: attributes of other systems than Unix make no link") {
    constexpr std::uint32_t kLinkBits = 0xa1ff'0000;
    const auto is_link = [](std::uint16_t made_by) {
        return value_of(directory_of(build_zip({{.name = "a", .made_by = made_by, .attributes = kLinkBits}})))
            .entries[0]
            .link;
    };
    CHECK(is_link(3 << 8 | 20));
    CHECK(is_link(19 << 8 | 20));
    CHECK_FALSE(is_link(20));
    CHECK_FALSE(is_link(10 << 8 | 20));
}

TEST_CASE("zip directory: a Unicode path field gives the name if it belongs to it") {
    const std::string name = "T\x81r.png";
    const auto field = [](std::uint32_t crc32, std::string_view text, std::uint8_t version = 1) {
        Bytes out = le<std::uint16_t>({0x7075, static_cast<std::uint16_t>(5 + text.size())});
        out.push_back(static_cast<std::byte>(version));
        for (const std::byte byte : le<std::uint32_t>({crc32}))
            out.push_back(byte);
        for (const char byte : text)
            out.push_back(static_cast<std::byte>(byte));
        return out;
    };
    const auto name_with = [&](Bytes extra) {
        return value_of(directory_of(build_zip({{.name = name, .extra = std::move(extra)}}))).entries[0].name;
    };
    const std::uint32_t crc32 = zip_crc32(name);
    CHECK(name_with(field(crc32, "T\u00fcr.png")) == "T\u00fcr.png");
    CHECK(name_with(field(crc32 + 1, "T\u00fcr.png")) == name);
    CHECK(name_with(field(crc32, "T\u00fcr.png", 2)) == name);
    CHECK(name_with(le<std::uint16_t>({0x7075, 2, 0})) == name);
    CHECK(name_with(le<std::uint16_t>({0x7075, 60'000})) == name);
}

}  // namespace fardel::tests::zip_directory_test
