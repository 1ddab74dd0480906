// IndexRun: its encoding, what must not decode, and looking blocks up.
#include "index/index_run.h"

#include "kit/emulator.h"
#include "kit/files.h"
#include "kit/ids.h"
#include "kit/record_family.h"

#include <fardel/format/hash.h>

#include <cstring>

namespace fardel::tests::index_run_test {

const IndexRunHead kRunHead{.records = {{.bundle = filled_id<BundleId>(1), .checksum = filled_id<Hash>(2)}},
                            .packs = {{.id = filled_id<PackId>(3), .size_bytes = 0x0405}},
                            .entries = 5};

std::vector<IndexRunEntry> sorted_entries(std::size_t count, std::uint8_t skew = 0xff) {
    std::vector<IndexRunEntry> entries;
    for (std::size_t i = 0; i < count; ++i) {
        Hash hash = blake3(std::as_bytes(std::span(&i, 1)));
        hash.bytes[0] &= skew;
        entries.push_back({.key = block_key(hash),
                           .stored_bytes = static_cast<std::uint32_t>(i + 1),
                           .pack = 0,
                           .pack_offset = 10 * i});
    }
    std::ranges::sort(entries, {}, &IndexRunEntry::key);
    return entries;
}

IndexRun write_run(const ScratchFolder& scratch, const std::vector<IndexRunEntry>& entries) {
    std::size_t at = 0;
    REQUIRE(write_index_run(scratch.path("run"), kRunHead, [&]() -> Result<std::optional<IndexRunEntry>> {
        return at < entries.size() ? std::optional(entries[at++]) : std::nullopt;
    }));
    return value_of(IndexRun::open(scratch.path("run")));
}

TEST_CASE("index run: the bytes of a head are those of the manual") {
    Bytes golden = bytes_of_hex(
        "46415244454c4252"
        "01000000"
        "01000000"
        "01000000"
        "0500000000000000"
        "0101010101010101010101010101010101010101010101010101010101010101"
        "0202020202020202020202020202020202020202020202020202020202020202"
        "0303030303030303030303030303030303030303030303030303030303030303"
        "0504000000000000");
    const Hash hash = blake3(golden);
    for (const std::uint8_t byte : hash.bytes)
        golden.push_back(static_cast<std::byte>(byte));
    golden.resize(kRunPageBytes);
    CHECK(encode_run_head(kRunHead) == golden);
    CHECK(value_of(decode_run_head(golden)) == kRunHead);
    for (std::size_t bit = 0; bit < golden.size() * 8; bit += 5 * kEachOf) {
        Bytes flipped = golden;
        flipped[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
        CHECK_FALSE(decode_run_head(flipped));
    }
    for (const std::size_t length : {0u, 27u, 28u, 100u, 4095u})
        CHECK_FALSE(decode_run_head(std::span(golden).first(length)));
    golden.resize(2 * kRunPageBytes);
    CHECK_FALSE(decode_run_head(golden));
}

TEST_CASE("index run: a head that would be longer than its limit is refused before anything is allocated") {
    Bytes start = encode_run_head(kRunHead);
    start.resize(kRunHeadStartBytes);
    start[15] = std::byte{0x7f};  // records
    CHECK(code_of(run_head_bytes(start)) == ErrorCode::limit);
}

TEST_CASE("index run: a page has 127 entries, and each flipped bit of it is noticed") {
    const auto entries = sorted_entries(kRunPageEntries);
    const IndexRunPage page = encode_run_page(entries);
    CHECK(value_of(decode_run_page(page, kRunPageEntries)) == entries);
    CHECK(value_of(decode_run_page(page, 1)).size() == 1);
    for (std::size_t bit = 0; bit < page.size() * 8; bit += 11 * kEachOf) {
        IndexRunPage flipped = page;
        flipped[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
        CHECK(code_of(decode_run_page(flipped, 1)) == ErrorCode::corrupt);
    }
}

TEST_CASE("index run: every block is found, whatever the number and distribution of keys, and no other") {
    for (const std::size_t count : {0u, 1u, 2u, 126u, 127u, 128u, 254u, 255u, kEmulated ? 2'000u : 20'000u})
        for (const int skew : {0xff, 0x01, 0x00}) {
            CAPTURE(count);
            const ScratchFolder scratch;
            const auto entries = sorted_entries(count, static_cast<std::uint8_t>(skew));
            IndexRun run = write_run(scratch, entries);
            CHECK(run.head().entries == count);
            for (std::size_t i = 0; i<count; i += count> 1000 ? 97 : 1) {
                Hash hash;
                std::memcpy(hash.bytes.data(), entries[i].key.data(), entries[i].key.size());
                const auto found = value_of(run.find(hash));
                REQUIRE(found);
                CHECK(found->stored_bytes == entries[i].stored_bytes);
                CHECK(found->pack_offset == entries[i].pack_offset);
                hash.bytes[15] ^= 1;
                CHECK_FALSE(value_of(run.find(hash)));
            }
            CHECK_FALSE(value_of(run.find(filled_id<Hash>(0))));
            CHECK_FALSE(value_of(run.find(filled_id<Hash>(0xff))));
        }
}

TEST_CASE("index run: a file that is cut, longer or damaged is refused, at the latest when the page is read") {
    const ScratchFolder scratch;
    const auto entries = sorted_entries(1000);
    write_run(scratch, entries);
    const std::string good = scratch.read("run");
    for (const std::size_t length :
         {std::size_t{0}, std::size_t{10}, kRunPageBytes, good.size() - 1, good.size() - kRunPageBytes}) {
        scratch.write("run", good.substr(0, length));
        CHECK_FALSE(IndexRun::open(scratch.path("run")));
    }
    scratch.write("run", good + std::string(kRunPageBytes, '\0'));
    CHECK_FALSE(IndexRun::open(scratch.path("run")));
    std::string damaged = good;
    damaged[kRunPageBytes + 3 * kRunPageBytes + 100] ^= 1;
    scratch.write("run", damaged);
    IndexRun run = value_of(IndexRun::open(scratch.path("run")));
    CHECK(run.read_page(0));
    CHECK(code_of(run.read_page(3)) == ErrorCode::corrupt);
    CHECK(run.read_page(4));
    CHECK(code_of(run.read_page(3)) == ErrorCode::corrupt);
}

TEST_CASE("index run: an entry whose pack the head does not have leads nowhere") {
    const ScratchFolder scratch;
    auto entries = sorted_entries(1);
    entries[0].pack = 1;
    IndexRun run = write_run(scratch, entries);
    Hash hash;
    std::memcpy(hash.bytes.data(), entries[0].key.data(), entries[0].key.size());
    CHECK_FALSE(value_of(run.find(hash)));
}

}  // namespace fardel::tests::index_run_test
