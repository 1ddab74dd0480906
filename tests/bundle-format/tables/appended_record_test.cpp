#include <fardel/format/appended_record.h>

#include "bundle-format/document_vectors.h"
#include "kit/bytes.h"
#include "kit/files.h"

#include <fardel/format/byte_source.h>

#include <algorithm>
#include <limits>

namespace fardel::tests::appended_record_test {

using Record = std::array<std::byte, kAppendedRecordBytes>;

const AppendedRecord kRecord{.program_bytes = 12345, .bundle_bytes = 36864};

// A program, zeros, `bundle` and the record.
Bytes program_with(std::string_view program, std::string_view bundle) {
    const AppendedRecord record{.program_bytes = program.size(), .bundle_bytes = bundle.size()};
    Bytes file(static_cast<std::size_t>(record.bundle_offset()));
    std::ranges::copy(std::as_bytes(std::span(program)), file.begin());
    const auto text = std::as_bytes(std::span(bundle));
    file.insert(file.end(), text.begin(), text.end());
    const Record end = encode_appended_record(record);
    file.insert(file.end(), end.begin(), end.end());
    return file;
}

TEST_CASE("appended record: its bytes are those of the document, and it says where the bundle is") {
    const auto vectors = read_document_vectors("bundle-format.md");
    const Record bytes = encode_appended_record(kRecord);
    CHECK(Bytes(bytes.begin(), bytes.end()) == vectors.at("appended_record"));
    CHECK(kRecord.bundle_offset() == 16384);
    CHECK(kRecord.file_bytes() == 16384 + 36864 + 32);
    CHECK(AppendedRecord{4096, 1}.bundle_offset() == 4096);
    const auto read = find_appended_record(bytes, kRecord.file_bytes());
    REQUIRE(read);
    REQUIRE(*read);
    CHECK(**read == kRecord);
}

TEST_CASE("appended record: of a file of another size, and with any flipped bit, it is refused or none") {
    const Record bytes = encode_appended_record(kRecord);
    for (const std::uint64_t size : {std::uint64_t{0}, kRecord.file_bytes() - 1, kRecord.file_bytes() + 1,
                                     std::numeric_limits<std::uint64_t>::max()})
        CHECK(code_of(find_appended_record(bytes, size)) == ErrorCode::malformed);
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        CAPTURE(bit);
        Record flipped = bytes;
        flipped[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
        const auto read = find_appended_record(flipped, kRecord.file_bytes());
        if (bit < 64) {  // the magic
            REQUIRE(read);
            CHECK_FALSE(*read);
        } else if (bit < 96) {
            CHECK(code_of(read) == ErrorCode::unsupported);
        } else if (read) {
            // A program that ends elsewhere in the same page: the bundle is where it was.
            REQUIRE(*read);
            CHECK((*read)->bundle_offset() == kRecord.bundle_offset());
            CHECK((*read)->bundle_bytes == kRecord.bundle_bytes);
        } else {
            CHECK(read.error().code() == ErrorCode::malformed);
        }
    }
}

TEST_CASE("appended record: sizes whose sum overflows, and parts without bytes, are refused") {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    for (const AppendedRecord& bad :
         {AppendedRecord{kMost, 1}, AppendedRecord{1, kMost}, AppendedRecord{kMost, kMost},
          AppendedRecord{kMost - 4095 - 31, 4096}, AppendedRecord{kAppendedBytesMax + 1, 1},
          AppendedRecord{1, kAppendedBytesMax + 1}, AppendedRecord{0, 10}, AppendedRecord{10, 0}}) {
        CAPTURE(bad.program_bytes);
        CAPTURE(bad.bundle_bytes);
        CHECK(code_of(find_appended_record(encode_appended_record(bad), bad.file_bytes())) == ErrorCode::malformed);
    }
}

TEST_CASE("appended record: a source reads the bundle, and nothing around it") {
    const auto program =
        make_memory_source(program_with("\x7f"
                                        "ELF program",
                                        "0123456789"));
    const auto opened = open_appended_source(program);
    REQUIRE(opened);
    const ByteSource& bundle = **opened;
    CHECK(bundle.size_bytes() == 10);
    std::string text(10, '?');
    REQUIRE(bundle.read_at(0, std::as_writable_bytes(std::span(text))));
    CHECK(text == "0123456789");
    text.resize(2);
    REQUIRE(bundle.read_at(8, std::as_writable_bytes(std::span(text))));
    CHECK(text == "89");
    for (const std::uint64_t offset :
         {std::uint64_t{9}, std::uint64_t{10}, std::uint64_t{11}, std::numeric_limits<std::uint64_t>::max() - 4096}) {
        CAPTURE(offset);
        CHECK(code_of(bundle.read_at(offset, std::as_writable_bytes(std::span(text)))) == ErrorCode::corrupt);
        CHECK(code_of(bundle.map(offset, 2)) == ErrorCode::corrupt);
        bundle.prefetch(offset, 2);
    }
    const auto mapped = bundle.map(3, 4);
    REQUIRE(mapped);
    CHECK(std::memcmp(mapped->get(), "3456", 4) == 0);
    CHECK(bundle.holds(0, 10));
}

TEST_CASE("appended record: a file without one, a bundle, and one whose end was cut off or added to, have no bundle") {
    CHECK(code_of(open_appended_source(make_memory_source({}))) == ErrorCode::missing);
    CHECK(code_of(open_appended_source(make_memory_source(Bytes(100)))) == ErrorCode::missing);
    const Bytes good = program_with("program of some length, at least that of the record", "0123456789");
    for (std::size_t size = good.size() - 40; size < good.size(); ++size) {
        Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
        CHECK(code_of(open_appended_source(make_memory_source(cut))) == ErrorCode::missing);
    }
    Bytes longer = good;
    longer.push_back(std::byte{0});
    CHECK(code_of(open_appended_source(make_memory_source(longer))) == ErrorCode::missing);
    // The record of one file at the end of another.
    Bytes other = good;
    other.insert(other.begin(), 4096, std::byte{0});
    CHECK(code_of(open_appended_source(make_memory_source(other))) == ErrorCode::malformed);
    // A bundle whose end looks like a record is a bundle.
    const Bytes odd = program_with("FARDEL\r\n, and more", "0123456789");
    CHECK(code_of(open_appended_source(make_memory_source(odd))) == ErrorCode::missing);
}

TEST_CASE("appended record: of a path, and of the running program, which has none") {
    const ScratchFolder scratch;
    const Bytes file = program_with("program", "0123456789");
    write_file(scratch.path("game"), std::string_view(reinterpret_cast<const char*>(file.data()), file.size()));
    const auto opened = open_appended_file(scratch.path("game"));
    REQUIRE(opened);
    CHECK((*opened)->size_bytes() == 10);
    CHECK(code_of(open_appended_file(scratch.path("none"))) == ErrorCode::missing);
    const auto own = open_appended_file();
    REQUIRE_FALSE(own);
    const bool is_told = own.error().code() == ErrorCode::missing;
    CHECK((is_told || own.error().code() == ErrorCode::unsupported));  // unsupported: FARDEL_PORTABLE
}

}  // namespace fardel::tests::appended_record_test
