#include "kit/test.h"

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>

#include <array>

namespace fardel::tests::byte_reader_test {

struct Id {
    std::array<std::uint8_t, 4> bytes{};
    friend bool operator==(const Id&, const Id&) = default;
};

struct Record {
    std::uint8_t u8 = 0;
    std::uint16_t u16 = 0;
    std::uint32_t u32 = 0;
    std::uint64_t u64 = 0;
    Id id;
    std::string name;
    std::vector<std::uint16_t> items;
    std::string fixed_text;
    friend bool operator==(const Record&, const Record&) = default;
};

const Record kRecord{1, 0x0203, 0x04050607, 0x08090a0b0c0d0e0f, {{9, 8, 7, 6}}, "name", {5, 6, 7}, "abc"};

std::vector<std::byte> encode(const Record& record) {
    ByteWriter writer;
    writer.u8(record.u8);
    writer.u16(record.u16);
    writer.u32(record.u32);
    writer.u64(record.u64);
    writer.fixed(record.id);
    writer.sized_text<std::uint16_t>(record.name);
    writer.u32(static_cast<std::uint32_t>(record.items.size()));
    for (const std::uint16_t item : record.items)
        writer.u16(item);
    writer.padded_text(record.fixed_text, 3);
    return writer.take();
}

Result<Record> decode(std::span<const std::byte> bytes) {
    ByteReader reader(bytes, "sample");
    Record record;
    record.u8 = reader.u8();
    record.u16 = reader.u16();
    record.u32 = reader.u32();
    record.u64 = reader.u64();
    record.id = reader.fixed<Id>();
    record.name = reader.sized_text<std::uint16_t>(8, "name");
    const std::uint64_t count = reader.count<std::uint32_t>(2);
    for (std::uint64_t i = 0; i < count; ++i)
        record.items.push_back(reader.u16());
    record.fixed_text = reader.text(3);
    FARDEL_TRY(reader.finish());
    return record;
}

TEST_CASE("byte reader: written values are read again") {
    const auto record = decode(encode(kRecord));
    REQUIRE(record);
    CHECK(*record == kRecord);
    CHECK(decode(encode({.fixed_text = std::string(3, '\0')})));
}

TEST_CASE("byte reader: each proper prefix is refused, and so is one byte more") {
    std::vector<std::byte> bytes = encode(kRecord);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CAPTURE(size);
        // The bytes are copied, so that a sanitizer detects a read behind the prefix.
        const auto record = decode(std::vector<std::byte>(bytes.begin(), bytes.begin() + std::ptrdiff_t(size)));
        REQUIRE_FALSE(record);
        CHECK(record.error().text() == "malformed: sample: cut off after " + std::to_string(size) + " bytes");
    }
    bytes.push_back(std::byte{0});
    const auto longer = decode(bytes);
    REQUIRE_FALSE(longer);
    CHECK(longer.error().text() == "malformed: sample: 1 bytes too many");
}

TEST_CASE("byte reader: after the first error everything is zero or empty, and the error stays") {
    const std::vector<std::byte> bytes(16, std::byte{0xff});
    ByteReader reader(bytes);
    CHECK(reader.u64() == ~std::uint64_t{0});
    CHECK(reader.position() == 8);
    CHECK(reader.rest_bytes() == 8);
    CHECK(reader.raw(9).empty());
    CHECK(reader.failed());
    CHECK(reader.rest_bytes() == 0);
    CHECK(reader.u8() == 0);
    CHECK(reader.raw(1).empty());
    CHECK(reader.text(1).empty());
    CHECK(reader.fixed<Id>() == Id{});
    CHECK(reader.sized<std::uint8_t>(9, "field").empty());
    CHECK(reader.count<std::uint8_t>(1) == 0);
    std::array<std::byte, 4> out{};
    out.fill(std::byte{1});
    reader.copy(out);
    CHECK(out == std::array<std::byte, 4>{});
    reader.fail(ErrorCode::unsupported, "later");
    CHECK_FALSE(reader.is_complete());
    const Status status = reader.finish();
    REQUIRE_FALSE(status);
    CHECK(status.error().text() == "malformed: record: cut off after 16 bytes");
}

TEST_CASE("byte reader: a length is checked against its limit and the remaining bytes before it is used") {
    ByteWriter writer;
    writer.sized_text<std::uint32_t>("12345");
    const auto read = [&](std::uint64_t bytes_max) {
        ByteReader reader(writer.view(), "sample");
        const std::string text(reader.sized_text<std::uint32_t>(bytes_max, "name"));
        const Status status = reader.finish();
        return status ? text : status.error().text();
    };
    CHECK(read(5) == "12345");
    CHECK(read(4) == "limit: sample: name of 5 bytes, at most 4 allowed");

    ByteWriter huge;
    huge.u64(~std::uint64_t{0});
    huge.u32(0);
    ByteReader sized(huge.view());
    CHECK(sized.sized<std::uint64_t>(~std::uint64_t{0}, "huge").empty());
    CHECK(sized.failed());
    ByteReader counted(huge.view());
    CHECK(counted.count<std::uint64_t>(1) == 0);
    CHECK(counted.failed());
    ByteReader raw(huge.view());
    CHECK(raw.raw(~std::uint64_t{0}).empty());
    CHECK(raw.failed());
}

TEST_CASE("byte reader: reading zero bytes from an empty input is no error") {
    ByteReader reader(std::span<const std::byte>{});
    CHECK(reader.raw(0).empty());
    reader.copy({});
    CHECK(reader.is_complete());
    CHECK(reader.finish());
}

TEST_CASE("byte writer: padding fills up to a multiple") {
    ByteWriter writer;
    writer.pad_to(8);
    CHECK(writer.size_bytes() == 0);
    writer.text("abc");
    writer.pad_to(8);
    writer.pad_to(8);
    CHECK(writer.view() == std::string_view("abc\0\0\0\0\0", 8));
}

}  // namespace fardel::tests::byte_reader_test
