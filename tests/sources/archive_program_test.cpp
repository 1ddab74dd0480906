// Reads hostile archives of other formats than zip, through the program fardel-archive.
#include "archive_program.h"

#include "crc32.h"
#include "kit/blobs.h"
#include "kit/bytes.h"
#include "kit/disks.h"
#include "kit/files.h"
#include "source_listing.h"

#include <fardel/base/little_endian.h>
#include <fardel/base/own_program.h>
#include <fardel/sources/legacy_archives.h>

namespace fardel::tests::archive_program_test {

// LZMA of a mebibyte of zeros.
constexpr std::string_view kPackedZeros =
    "00006ffdffffa3b7ff473e481572396151b89228e6a38607f9eee41e82d32fc53a3c014bb17ec98a8a4d2fa30dd97fa6"
    "e38c231153e05918c5758ae277f8b6947f0c6ac0de744964e2e95c53b204d8f7440cab5f0d6d46e9e5c37688b79657ac"
    "b64de1691d6ffb4b88106c42cb883f5c008fd04eaf262894711f3d8f24e1709ea7235fec28cb85d195988a7e2a91f227"
    "75f719c006984d98fdd8afd5900fc42553f8f591363105a5b0ee6fc1704d470cd19111aaad601dbaceb127185c5986e9"
    "665258bee976ac59e4e55b0508f9c7daadfcfb522af7e51cdccfffff82160000";
// Names of sections and sizes as 7zFormat.txt of the LZMA SDK has them. This header is right; the two after it made
// PhysicsFS 3.0.2 read or write outside its memory.
constexpr std::string_view kGoodHeader =
    "01040600010980e000070b01000123030101055d000010000cd000000a011cea38a70008000005011113"
    "0062006f006d0062002e00620069006e0000000000";
constexpr std::string_view kHeaderWithoutCoderSize =
    "01040600010980e000070b01000123030100055d000010000cd000000a011cea38a700080000050131130062006f006d"
    "0062002e00620069006e0000000000";
constexpr std::string_view kHeaderOfTwoFiles =
    "01040600010980e000070b01000123030101055d000010000cd000000a011cea38a700080000050102130062006f006d"
    "0062002e00620069006e0000000000";

std::uint32_t crc_of(std::span<const std::byte> bytes) {
    Crc32 crc;
    crc.update(bytes);
    return crc.value();
}

// A 7z with right checksums, whatever its header says.
Bytes seven_zip(std::span<const std::byte> packed, std::span<const std::byte> header) {
    Bytes start;
    append_le<std::uint64_t>(start, packed.size());
    append_le<std::uint64_t>(start, header.size());
    append_le<std::uint32_t>(start, crc_of(header));
    Bytes file = bytes_of_hex("377abcaf271c0004");
    append_le<std::uint32_t>(file, crc_of(start));
    for (const std::span<const std::byte> part : {std::span<const std::byte>(start), packed, header})
        file.insert(file.end(), part.begin(), part.end());
    return file;
}

// One file, stored, whose size is `claimed`.
Bytes stored_seven_zip(std::string_view content, std::uint64_t claimed) {
    Bytes header = bytes_of_hex("010406000109");
    header.push_back(static_cast<std::byte>(content.size()));
    const Bytes coder = bytes_of_hex("00070b01000101000cff");
    header.insert(header.end(), coder.begin(), coder.end());
    append_le(header, claimed);
    const Bytes rest = bytes_of_hex(
        "00080000050111050061000000"
        "0000");
    header.insert(header.end(), rest.begin(), rest.end());
    return seven_zip(std::as_bytes(std::span(content)), header);
}

// A pak of Quake with `count` files that are all the whole of its content.
Bytes overlapping_pak(std::uint32_t content_bytes, std::uint32_t count) {
    Bytes out;
    append_le<std::uint32_t>(out, 0x4b43'4150);
    append_le<std::uint32_t>(out, 12 + content_bytes);
    append_le<std::uint32_t>(out, count * 64);
    out.resize(out.size() + content_bytes);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string name = "a" + std::to_string(i);
        for (std::size_t at = 0; at < 56; ++at)
            out.push_back(static_cast<std::byte>(at < name.size() ? name[at] : '\0'));
        append_le<std::uint32_t>(out, 12);
        append_le<std::uint32_t>(out, content_bytes);
    }
    return out;
}

Status list(const std::string& path, SourceListing& listing) {
    return list_archive(path, make_archive_reader_with(FARDEL_ARCHIVE_PROGRAM).get(), listing);
}

// Lists the archive and reads every file of it. Returns the first error.
Status read_all(const std::string& path) {
    SourceListing listing({});
    FARDEL_TRY(list(path, listing));
    for (const SourceEntry& entry : listing.entries)
        FARDEL_TRY(read_blob_text(*entry.blob, 256u << 10));
    return ok();
}

std::string hex_byte(std::size_t byte) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    return {kDigits[byte >> 4 & 15], kDigits[byte & 15]};
}

// The list of a 7z with one file of one byte, "a". `coder` is its method as the format has it: the size of the id, then
// the id.
std::string list_of_one_file(std::string_view coder) {
    return "01040600010901" + ("00070b010001" + std::string(coder)) + "0c01000800000501110500" + "610000000000";
}

TEST_CASE("archive program: a file of a 7z that cannot be read is refused with the methods that compress it") {
    const ScratchFolder folder;
    const auto refusal = [&](const Bytes& archive) {
        SourceListing listing({});
        const Status listed = list(folder.write("m.7z", archive), listing);
        if (!listed)
            return listed.error().text();
        REQUIRE(listing.refused.size() <= 1);
        return listing.refused.empty() ? std::string() : listing.refused[0].reason.text();
    };
    const Bytes content = bytes_of_hex("78");
    struct Coder {
        std::string_view bytes;
        std::string_view name;
    };
    for (const Coder& coder :
         {Coder{"03040108", "Deflate,"}, Coder{"03040109", "Deflate64"}, Coder{"03040202", "BZip2"},
          Coder{"03030401", "PPMd"}, Coder{"0404f71101", "Zstandard"}, Coder{"0406f10701", "AES encryption"}}) {
        CAPTURE(std::string(coder.name));
        const Bytes plain = bytes_of_hex(list_of_one_file(coder.bytes));
        CHECK(refusal(seven_zip(content, plain)).find("compressed by " + std::string(coder.name)) != std::string::npos);
        // The same with a list that is packed, as most programs write it.
        Bytes packed = content;
        packed.insert(packed.end(), plain.begin(), plain.end());
        const std::string size = hex_byte(plain.size());
        const Bytes list_record = bytes_of_hex("1706010109" + size + "00070b010001" + "0100" + "0c" + size + "0000");
        CHECK(refusal(seven_zip(packed, list_record)).find("compressed by " + std::string(coder.name)) !=
              std::string::npos);
        // And with a list that is itself packed by this method.
        const Bytes closed =
            bytes_of_hex("1706010109" + size + "00070b010001" + std::string(coder.bytes) + "0c" + size + "0000");
        CHECK(refusal(seven_zip(packed, closed)).find("its list of files is compressed by ") != std::string::npos);
    }
    CHECK(refusal(seven_zip(content, bytes_of_hex(list_of_one_file("0100")))).empty());
    CHECK(read_all(folder.write("n.7z", seven_zip(content, bytes_of_hex(list_of_one_file("0100"))))));
}

TEST_CASE("archive program: a 7z is listed and unpacked") {
    const ScratchFolder folder;
    const std::string path = folder.write("a.7z", seven_zip(bytes_of_hex(kPackedZeros), bytes_of_hex(kGoodHeader)));
    SourceListing listing({});
    REQUIRE(list(path, listing));
    REQUIRE(listing.entries.size() == 1);
    CHECK(listing.entries[0].name.text() == "bomb.bin");
    const auto content = value_of(read_blob_text(*listing.entries[0].blob, 64u << 10));
    CHECK(content.size() == 1u << 20);
    CHECK(read_all(folder.write("b.7z", stored_seven_zip("x", 1))));
}

// A126
TEST_CASE("archive program: a header that crashes its reader is malformed, whatever the name of the file") {
    const ScratchFolder folder;
    for (const std::string_view header : {kHeaderWithoutCoderSize, kHeaderOfTwoFiles})
        for (const char* const name : {"a.7z", "a.pk3", "a.zip"}) {
            const auto bytes = seven_zip(bytes_of_hex(kPackedZeros), bytes_of_hex(header));
            SourceListing listing({});
            const Status listed = list(folder.write(name, bytes), listing);
            CAPTURE(name);
            REQUIRE_FALSE(listed);
            CHECK(listed.error().code() == ErrorCode::malformed);
            CHECK(listed.error().message().starts_with(folder.path(name)));
        }
}

// A126
TEST_CASE("archive program: any change of a 7z's header, with right checksums, is an error or readable, and soon") {
    const ScratchFolder folder;
    const Bytes packed = bytes_of_hex(kPackedZeros);
    const Bytes good = bytes_of_hex(kGoodHeader);
    FARDEL_RANDOM(random);
    constexpr int kOctets[] = {0, 1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 17, 25, 0x7f, 0x80, 0xc0, 0xf8, 0xfe, 0xff};
    for (int round = 0; round < 60; ++round) {
        Bytes header = good;
        for (std::uint64_t change = 0; change <= random() % 3; ++change) {
            const auto at = static_cast<std::ptrdiff_t>(random() % header.size());
            const std::uint64_t kind = random() % 4;
            if (kind < 2)
                header[static_cast<std::size_t>(at)] = static_cast<std::byte>(kOctets[random() % std::size(kOctets)]);
            else if (kind == 2) {
                Bytes number = {std::byte{0xff}};
                append_le<std::uint64_t>(number, std::uint64_t{1} << (20 + random() % 44));
                header.insert(header.begin() + at, number.begin(), number.end());
            } else if (header.size() > 1)
                header.erase(header.begin() + at);
        }
        const auto start = std::chrono::steady_clock::now();
        (void)read_all(folder.write("a.7z", seven_zip(packed, header)));
        CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
    }
}

// A126
TEST_CASE("archive program: a file of a 7z that needs more memory than its reader may have is limit") {
    const ScratchFolder folder;
    const std::string path = folder.write("a.7z", stored_seven_zip("x", std::uint64_t{3} << 30));
    const Status read = read_all(path);
    REQUIRE_FALSE(read);
    if constexpr (own_program_memory(1) != 0)
        CHECK(read.error().code() == ErrorCode::limit);
    CHECK(read.error().message().starts_with(path + ": a: "));
}

// A126 A127
TEST_CASE("archive program: files that claim the same bytes count each, and more than eight gibibytes are limit") {
    const ScratchFolder folder;
    SourceListing listing({});
    CHECK(code_of(list(folder.write("a.pak", overlapping_pak(4u << 20, 2049)), listing)) == ErrorCode::limit);
    CHECK(listing.entries.empty());
    CHECK(read_all(folder.write("b.pak", overlapping_pak(1u << 20, 9))));
}

// A102
TEST_CASE("archive program: a disk that is too small for the listing or the files of an archive is no_space") {
    const ScratchFolder folder;
    const std::string path = folder.write("a.7z", seven_zip(bytes_of_hex(kPackedZeros), bytes_of_hex(kGoodHeader)));
    const auto read_on = [&](const SmallDisk& disk, bool full) {
        if (full)
            disk.fill();
        const char* const before = std::getenv("TMPDIR");
        const std::string kept = before != nullptr ? before : "";
        ::setenv("TMPDIR", disk.root().c_str(), 1);
        Status read = read_all(path);
        before != nullptr ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
        std::error_code ignored;
        std::filesystem::remove(disk.path("filler"), ignored);
        CHECK(std::filesystem::is_empty(disk.root()));
        return read;
    };
    struct Case {
        const char* size;
        bool full;
        const char* reason;  // of no_space; nullptr: it works
    };
    for (const Case& one : {Case{"64k", true, "the listing"}, Case{"512k", false, "unpacking its files for reading"},
                            Case{"1m", false, "the file of unpacked files"}, Case{"2m", false, nullptr}}) {
        CAPTURE(one.size);
        const SmallDisk disk(folder, one.size);
        if (disk.is_missing())
            return;
        const Status read = read_on(disk, one.full);
        CHECK(static_cast<bool>(read) == (one.reason == nullptr));
        if (read || one.reason == nullptr)
            continue;
        CHECK(read.error().code() == ErrorCode::no_space);
        CAPTURE(read.error().message());
        CHECK(read.error().message().find(one.reason) != std::string::npos);
        CHECK(read.error().message().starts_with(path));
    }
}

TEST_CASE("archive program: without it a zip is read, and other archives are missing their reader") {
    const ScratchFolder folder;
    const auto reader = make_archive_reader_with("/nowhere/fardel-archive");
    SourceListing listing({});
    const std::string path = folder.write("a.pk3", stored_seven_zip("x", 1));
    check_error(list_archive(path, reader.get(), listing), ErrorCode::missing, "/nowhere/fardel-archive");
}

TEST_CASE("archive program: replacing the archive after the scan changes nothing") {
    const ScratchFolder folder;
    const std::string path = folder.write("a.7z", stored_seven_zip("x", 1));
    SourceListing listing({});
    REQUIRE(list(path, listing));
    std::filesystem::remove(path);
    folder.write("a.7z", stored_seven_zip("y", 1));
    CHECK(*read_blob_text(*listing.entries[0].blob) == "x");
}

TEST_CASE("archive program: an archive in memory is read as one in a file") {
    const Bytes bytes = stored_seven_zip("x", 1);
    const auto items = list_in_program(FARDEL_ARCHIVE_PROGRAM, *make_memory_source(bytes), "7z");
    REQUIRE(items);
    REQUIRE(items->size() == 1);
    CHECK(items->front().name == "a");
    CHECK(items->front().size_bytes == 1);
}

}  // namespace fardel::tests::archive_program_test
