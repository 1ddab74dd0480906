#include <fardel/format/head.h>

#include "bundle-format/document_vectors.h"
#include "kit/bytes.h"
#include "kit/emulator.h"

#include <fardel/base/little_endian.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>

namespace fardel::tests::head_test {

HeadBytes padded(const Bytes& bytes) {
    HeadBytes out{};
    REQUIRE(bytes.size() <= out.size());
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
}

const auto& vectors() {
    static const auto all = fardel::tests::read_document_vectors("bundle-format.md");
    return all;
}

TableEntry entry(TableKind kind, std::uint64_t count) {
    return {
        .kind = kind, .record_bytes = record_bytes(kind), .length_bytes = count * record_bytes(kind), .count = count};
}

// A head as the writer creates it: 5 assets, 9 names.
BundleHead small_head() {
    BundleHead head;
    using enum TableKind;
    head.tables = {entry(strings, 4097), entry(assets, 5),       entry(asset_buckets, 5),
                   entry(names, 9),      entry(name_buckets, 3), entry(name_filters, 4)};
    for (std::size_t i = 0; i < head.tables.size(); ++i)
        head.tables[i].root.bytes[0] = static_cast<std::uint8_t>(i + 1);
    head.manifest_bytes = place_tables(head.tables);
    return head;
}

LayoutHead small_layout(const BundleHead& head) {
    LayoutHead layout;
    layout.bundle = bundle_id(encode_head(head));
    layout.tables = {entry(TableKind::placements, 5), entry(TableKind::blocks, 3)};
    layout.layout_bytes = place_tables(layout.tables);
    layout.codecs = {{Codec::raw, 1}, {Codec::zstd, 1}};
    layout.blocks_offset = 8192;
    layout.blocks_bytes = 100;
    layout.manifest_offset = 12288;
    layout.layout_offset = 12288 + (head.manifest_bytes + 4095) / 4096 * 4096;
    layout.trailer_offset = layout.layout_offset + 4096;
    return layout;
}

ErrorCode head_refusal(BundleHead head) {
    const auto read = decode_head(encode_head(head));
    REQUIRE_FALSE(read);
    return read.error().code();
}

ErrorCode patched_refusal(HeadBytes bytes, std::size_t at, std::uint64_t value, std::size_t size) {
    std::array<std::byte, sizeof value> patch;
    store_le(patch.data(), value);
    std::ranges::copy(std::span(patch).first(size), bytes.begin() + static_cast<std::ptrdiff_t>(at));
    const auto read = decode_head(bytes);
    REQUIRE_FALSE(read);
    return read.error().code();
}

ErrorCode section_refusal(const std::function<void(LayoutHead&)>& change, std::uint64_t file_bytes = 1 << 20) {
    const BundleHead head = small_head();
    LayoutHead layout = small_layout(head);
    change(layout);
    const Status status = verify_sections(head, bundle_id(encode_head(head)), layout, file_bytes);
    REQUIRE_FALSE(status);
    return status.error().code();
}

TEST_CASE("head: bytes and bundle id are those of the document") {
    const auto read = decode_head(padded(vectors().at("head-without-its-trailing-zeros")));
    REQUIRE(read);
    BundleHead head;
    head.manifest_bytes = 64;
    head.tables = {entry(TableKind::strings, 7)};
    head.tables[0].root = fixed_from<Hash>(vectors().at("page-tree-one-page-root"));
    CHECK(*read == head);
    CHECK(bundle_id(encode_head(head)) == fixed_from<BundleId>(vectors().at("bundle-id-of-that-head")));
}

TEST_CASE("layout head: bytes and layout id are those of the document") {
    const auto read = decode_layout_head(padded(vectors().at("layout-head-without-its-trailing-zeros")));
    REQUIRE(read);
    LayoutHead layout;
    layout.bundle = fixed_from<BundleId>(vectors().at("bundle-id-of-that-head"));
    layout.blocks_offset = 8192;
    layout.manifest_offset = 8192;
    layout.layout_offset = 12288;
    layout.trailer_offset = 12288;
    layout.codecs = {{Codec::zstd, 1}};
    CHECK(*read == layout);
    CHECK(layout_id(encode_layout_head(layout)) == fixed_from<LayoutId>(vectors().at("layout-id-of-that-head")));
}

TEST_CASE("heads: an encoded value decodes to itself") {
    const BundleHead head = small_head();
    CHECK(decode_head(encode_head(head)).value() == head);
    const LayoutHead layout = small_layout(head);
    CHECK(decode_layout_head(encode_layout_head(layout)).value() == layout);
    CHECK(verify_sections(head, bundle_id(encode_head(head)), layout, layout.trailer_offset));
    CHECK(decode_head(encode_head(BundleHead{})).value() == BundleHead{});  // A29: an empty bundle
}

TEST_CASE("heads: each flipped bit is refused or read as exactly what it says") {  // A21
    const HeadBytes head = encode_head(small_head());
    const HeadBytes layout = encode_layout_head(small_layout(small_head()));
    for (std::size_t bit = 0; bit < limits::kHeadBytes * 8; bit += kEachOf) {
        HeadBytes flipped = head;
        flipped[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
        if (const auto read = decode_head(flipped))
            CHECK(encode_head(*read) == flipped);
        flipped = layout;
        flipped[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
        if (const auto read = decode_layout_head(flipped))
            CHECK(encode_layout_head(*read) == flipped);
    }
}

TEST_CASE("head: another magic is malformed, a later major version or required feature is unsupported") {  // A27, A32
    const HeadBytes good = encode_head(small_head());
    CHECK(patched_refusal(good, 0, 0x04034b50, 4) == ErrorCode::malformed);  // a zip
    CHECK(patched_refusal(good, 8, 2, 2) == ErrorCode::unsupported);
    CHECK(patched_refusal(good, 8, 0, 2) == ErrorCode::unsupported);
    for (unsigned bit = 0; bit < 64; ++bit)
        CHECK(patched_refusal(good, 16, 1ull << bit, 8) == ErrorCode::unsupported);
    CHECK(decode_head(HeadBytes{}).error().code() == ErrorCode::malformed);
}

TEST_CASE("head: a later minor version and unknown optional flags are kept") {  // A28
    BundleHead head = small_head();
    head.minor = 7;
    head.optional_flags = 0x8000'0000'0000'0001;
    CHECK(decode_head(encode_head(head)).value() == head);
}

TEST_CASE("head: counts and lengths that overflow or contradict each other are refused") {  // A24
    const HeadBytes good = encode_head(small_head());
    constexpr std::size_t kStrings = 64;
    constexpr std::size_t kAssets = 128;
    constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
    CHECK(patched_refusal(good, 12, 64, 4) == ErrorCode::limit);
    CHECK(patched_refusal(good, 12, 0xffffffff, 4) == ErrorCode::limit);
    CHECK(patched_refusal(good, kAssets + 24, kMax, 8) == ErrorCode::limit);
    CHECK(patched_refusal(good, kAssets + 24, limits::kAssetsMax + 1, 8) == ErrorCode::limit);
    CHECK(patched_refusal(good, kAssets + 24, limits::kAssetsMax, 8) == ErrorCode::malformed);
    CHECK(patched_refusal(good, kAssets + 24, (1ull << 58) + 5, 8) ==
          ErrorCode::limit);  // × 64 wraps to the same length
    CHECK(patched_refusal(good, kAssets + 16, kMax, 8) == ErrorCode::malformed);
    CHECK(patched_refusal(good, kAssets + 8, 0, 8) == ErrorCode::malformed);
    CHECK(patched_refusal(good, kAssets + 8, kMax, 8) == ErrorCode::malformed);
    CHECK(patched_refusal(good, kStrings + 24, 0, 8) == ErrorCode::malformed);
    CHECK(patched_refusal(good, 32, kMax, 8) == ErrorCode::limit);
    CHECK(patched_refusal(good, 32, small_head().manifest_bytes + 64, 8) == ErrorCode::malformed);
    CHECK(patched_refusal(good, kAssets + 4, 128, 4) == ErrorCode::unsupported);
}

TEST_CASE("head: tables are known, in order, each once, none empty") {  // A23, A25
    BundleHead head = small_head();
    std::swap(head.tables[0], head.tables[1]);
    CHECK(head_refusal(head) == ErrorCode::malformed);
    head = small_head();
    head.tables[1] = head.tables[0];
    CHECK(head_refusal(head) == ErrorCode::malformed);
    head = small_head();
    head.tables.push_back(entry(TableKind::placements, 5));  // a layout table
    head.manifest_bytes = place_tables(head.tables);
    CHECK(head_refusal(head) == ErrorCode::unsupported);
    head = small_head();
    head.tables.push_back(entry(TableKind::creator_metadata, 1));
    head.tables.back().kind = static_cast<TableKind>(16);
    head.manifest_bytes = place_tables(head.tables);
    CHECK(head_refusal(head) == ErrorCode::unsupported);
}

TEST_CASE("head: look-up tables have exactly the size that their tables require") {
    using enum TableKind;
    for (const auto& [position, count] : {std::pair(2, 4), {2, 9}, {4, 2}, {4, 40}, {5, 3}, {5, 5}}) {
        BundleHead head = small_head();
        const TableKind kind = head.tables[static_cast<std::size_t>(position)].kind;
        head.tables[static_cast<std::size_t>(position)] = entry(kind, static_cast<std::uint64_t>(count));
        head.manifest_bytes = place_tables(head.tables);
        CHECK(head_refusal(head) == ErrorCode::malformed);
    }
    BundleHead head = small_head();
    head.tables.pop_back();
    head.manifest_bytes = place_tables(head.tables);
    CHECK(head_refusal(head) == ErrorCode::malformed);
}

TEST_CASE("head: bytes behind the last entry are zero") {  // A22
    const HeadBytes good = encode_head(small_head());
    CHECK(patched_refusal(good, 4095, 1, 1) == ErrorCode::malformed);
    CHECK(patched_refusal(good, 40, 1, 1) == ErrorCode::malformed);
    CHECK(patched_refusal(good, 64 + 6 * 64, 1, 1) == ErrorCode::malformed);
}

TEST_CASE("layout head: codecs are known, strictly increasing and few") {  // A44
    LayoutHead layout = small_layout(small_head());
    layout.codecs = {{Codec::zstd, 1}, {Codec::raw, 1}};
    CHECK(decode_layout_head(encode_layout_head(layout)).error().code() == ErrorCode::malformed);
    layout.codecs = {{Codec::zstd, 2}};
    CHECK(decode_layout_head(encode_layout_head(layout)).error().code() == ErrorCode::unsupported);
    layout.codecs = {{static_cast<Codec>(2), 1}};
    CHECK(decode_layout_head(encode_layout_head(layout)).error().code() == ErrorCode::unsupported);
    layout.codecs = {};
    HeadBytes bytes = encode_layout_head(layout);
    bytes[112] = std::byte{25};
    CHECK(decode_layout_head(bytes).error().code() == ErrorCode::limit);
    bytes[112] = std::byte{0};
    bytes[128] = std::byte{1};
    CHECK(decode_layout_head(bytes).error().code() == ErrorCode::malformed);
}

TEST_CASE("sections: a layout of another bundle is corrupt") {
    CHECK(section_refusal([](LayoutHead& layout) { layout.bundle.bytes[5] ^= 1; }) == ErrorCode::corrupt);
}

TEST_CASE("sections: overlaps, gaps, unaligned offsets and ends behind the file are malformed") {  // A20, A22, A23, A24
    using Change = std::function<void(LayoutHead&)>;
    const Change changes[] = {
        [](LayoutHead& l) { l.blocks_offset = 4096; },
        [](LayoutHead& l) { l.blocks_offset = 0; },
        [](LayoutHead& l) { l.blocks_offset = 8193; },
        [](LayoutHead& l) { l.blocks_bytes = 4097; },
        [](LayoutHead& l) { l.blocks_bytes = ~0ull; },
        [](LayoutHead& l) { l.blocks_bytes = 0; },  // a gap of a whole page behind it
        [](LayoutHead& l) { l.manifest_offset = 8192; },
        [](LayoutHead& l) { l.manifest_offset = ~0ull - 4095; },
        [](LayoutHead& l) { l.layout_offset = 12288; },
        [](LayoutHead& l) { l.layout_offset += 4096; },
        [](LayoutHead& l) { l.trailer_offset += 1; },
        [](LayoutHead& l) { l.trailer_offset += 4096; },
        [](LayoutHead& l) { l.trailer_offset = 8192; },
        [](LayoutHead& l) { l.trailer_offset = ~0ull - 4095; },
    };
    for (const Change& change : changes)
        CHECK(section_refusal(change) == ErrorCode::malformed);
    const LayoutHead good = small_layout(small_head());
    for (const std::uint64_t file_bytes :
         {0ull, 8192ull, 12288ull, static_cast<unsigned long long>(good.trailer_offset - 1)})
        CHECK(section_refusal([](LayoutHead&) {}, file_bytes) == ErrorCode::malformed);
}

TEST_CASE("sections: placements are as many as assets") {
    CHECK(section_refusal([](LayoutHead& l) { l.tables[0] = entry(TableKind::placements, 4); }) ==
          ErrorCode::malformed);
    CHECK(section_refusal([](LayoutHead& l) { l.tables.erase(l.tables.begin()); }) == ErrorCode::malformed);
}

TEST_CASE("sections: a layout has at most the blocks, and the bytes of blocks, that its head can need") {  // A142
    // 5 assets, and 2 pieces of one of them.
    BundleHead head = small_head();
    head.tables.insert(head.tables.begin() + 2, entry(TableKind::pieces, 2));
    std::ranges::sort(head.tables, {}, &TableEntry::kind);
    head.manifest_bytes = place_tables(head.tables);
    const auto verified = [&](std::uint64_t blocks, std::uint64_t blocks_bytes) {
        LayoutHead layout = small_layout(head);
        layout.tables[1] = entry(TableKind::blocks, blocks);
        layout.layout_bytes = place_tables(layout.tables);
        layout.blocks_bytes = blocks_bytes;
        layout.manifest_offset = 8192 + (blocks_bytes + 4095) / 4096 * 4096;
        layout.layout_offset = layout.manifest_offset + (head.manifest_bytes + 4095) / 4096 * 4096;
        layout.trailer_offset = layout.layout_offset + (layout.layout_bytes + 4095) / 4096 * 4096;
        return verify_sections(head, bundle_id(encode_head(head)), layout, layout.trailer_offset);
    };
    constexpr std::uint64_t kBlockMax = limits::kBlockBytesMax + limits::kRawBlockAlign;
    CHECK(verified(7, 100));
    CHECK(verified(8, 100).error().code() == ErrorCode::malformed);
    CHECK(verified(7, 7 * kBlockMax));
    CHECK(verified(7, 7 * kBlockMax + 1).error().code() == ErrorCode::malformed);
}

TEST_CASE("sections: a trailer at its limit is accepted, one past it is refused") {
    const BundleHead head = small_head();
    const LayoutHead layout = small_layout(head);
    const BundleId id = bundle_id(encode_head(head));
    CHECK(verify_sections(head, id, layout, layout.trailer_offset + limits::kTrailerBytesMax));
    CHECK(verify_sections(head, id, layout, layout.trailer_offset + limits::kTrailerBytesMax + 1).error().code() ==
          ErrorCode::limit);
}

TEST_CASE("sections: blocks may come last, as a writer of another order puts them") {
    const BundleHead head = small_head();
    LayoutHead layout = small_layout(head);
    layout.manifest_offset = 8192;
    layout.layout_offset = 8192 + (head.manifest_bytes + 4095) / 4096 * 4096;
    layout.blocks_offset = layout.layout_offset + 4096;
    layout.trailer_offset = layout.blocks_offset + 4096;
    CHECK(verify_sections(head, bundle_id(encode_head(head)), layout, layout.trailer_offset));
}

}  // namespace fardel::tests::head_test
