// A bundle of more than 4 GiB, most of which is a hole in its file, so that it takes no time to write: what processors
// of 32 bits must read in parts, and refuse as a whole. large_file_test.cpp writes all bytes of such a bundle.
#include <fardel/format/bundle.h>
#include <fardel/format/file_source.h>
#include <fardel/format/hash.h>

#include "bundle_forge/bundle_forge.h"
#include "kit/files.h"

#include <cstdint>

namespace fardel::tests::sparse_file_test {

constexpr std::string_view kLargeName = "music/theme.ogg";
constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << limits::kBlockLog2;
constexpr std::uint64_t kFourGib = std::uint64_t{1} << 32;
constexpr std::uint64_t kLargeBytes = 5 * (std::uint64_t{1} << 30);
constexpr std::uint64_t kZerosAt = 1u << 20;  // in the block section, behind all blocks of the small recipe

struct SparseBundle {
    forge::ForgedBundle forged;
    std::uint64_t hole_at = 0;  // in its bytes; there, `hole_bytes` zeros are left out
    std::uint64_t hole_bytes = 0;
};

// The small recipe's bundle, signed, whose asset of several pieces has become kLargeBytes zeros, stored raw.
SparseBundle sparse_bundle() {
    forge::Draft draft = forge::draft(forge::small_recipe());
    REQUIRE(draft.block_section.size() <= kZerosAt);
    const auto large =
        std::ranges::find_if(draft.assets, [](const AssetRecord& asset) { return asset.piece_count() > 1; });
    REQUIRE(large != draft.assets.end());
    large->raw_bytes = kLargeBytes;
    large->piece_first = 0;
    const Hash zeros = blake3(Bytes(kPieceBytes));
    draft.pieces.assign(static_cast<std::size_t>(kLargeBytes / kPieceBytes), zeros);
    draft.placements[static_cast<std::size_t>(large - draft.assets.begin())] = {
        .first_block = static_cast<std::uint32_t>(draft.blocks.size())};
    for (std::uint64_t at = 0; at < kLargeBytes; at += kPieceBytes)
        draft.blocks.push_back({.stored_hash = zeros,
                                .stored_offset = kZerosAt + at,
                                .stored_bytes = kPieceBytes,
                                .raw_bytes = kPieceBytes,
                                .codec = Codec::raw});
    SparseBundle made;
    draft.edit_layout_head = [&made](LayoutHead& head) {
        made.hole_at = head.manifest_offset;
        made.hole_bytes = kZerosAt + kLargeBytes - (head.manifest_offset - head.blocks_offset);
        head.blocks_bytes = kZerosAt + kLargeBytes;
        head.manifest_offset += made.hole_bytes;
        head.layout_offset += made.hole_bytes;
        head.trailer_offset += made.hole_bytes;
    };
    made.forged = forge::forge(draft);
    forge::sign(made.forged);
    return made;
}

void write_sparse(const SparseBundle& bundle, const std::string& path) {
    const std::span bytes(bundle.forged.bytes);
    const auto before = bytes.first(static_cast<std::size_t>(bundle.hole_at));
    write_file(path, before);
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(bundle.hole_at + bundle.hole_bytes));
    const auto after = std::as_bytes(bytes.subspan(before.size()));
    file.write(reinterpret_cast<const char*>(after.data()), static_cast<std::streamsize>(after.size()));
    REQUIRE(file.flush());
}

AssetIndex large_asset(const Bundle& bundle) {
    return value_of(bundle.default_asset(value_of(bundle.name(value_of(bundle.find_name(kLargeName)).value()))));
}

TEST_CASE("sparse file: a bundle above 4 GiB, with an asset above 4 GiB, is opened and read in parts") {
    const ScratchFolder scratch;
    const std::string path = scratch.path("sparse.fardel");
    write_sparse(sparse_bundle(), path);
    const auto policy = forge::test_policy();
    const auto source = value_of(open_file_source(path));
    CHECK(source->size_bytes() > kLargeBytes);
    const auto bundle = value_of(Bundle::open(source, {.policy = &policy, .time = TrustTime::at({1'800'000'000})}));
    CHECK(bundle->verdict().layout_signed);
    CHECK(bundle->layout_head().manifest_offset > kFourGib);
    require_good(bundle->verify_tables());

    const AssetIndex large = large_asset(*bundle);
    CHECK(value_of(bundle->asset(large)).raw_bytes == kLargeBytes);
    for (const std::uint64_t at :
         {std::uint64_t{0}, kFourGib - 100'000, kFourGib - 1, kFourGib, kLargeBytes - 200'000}) {
        INFO("at " << at);
        Bytes out(200'000, std::byte{1});
        require_good(bundle->read_at(large, at, out));
        CHECK(out == Bytes(out.size()));
        const auto view = value_of(bundle->view(large, at, out.size()));
        CHECK(std::ranges::equal(std::span(view.get(), out.size()), out));
    }
    Bytes out(2);
    CHECK(code_of(bundle->read_at(large, kLargeBytes - 1, out)) == ErrorCode::limit);
}

TEST_CASE("sparse file: what does not fit into memory is refused, and read to its whole size elsewhere") {
    const ScratchFolder scratch;
    const std::string path = scratch.path("sparse.fardel");
    write_sparse(sparse_bundle(), path);
    const auto bundle = value_of(Bundle::open(value_of(open_file_source(path)), {}));
    const AssetIndex large = large_asset(*bundle);
    if constexpr (sizeof(std::size_t) == 4) {
        check_error(bundle->read_all(large, UINT64_MAX), ErrorCode::limit, "do not fit into this machine's memory");
        // Cut to 32 bits, these lengths would be 1 GiB and 64 KiB.
        check_error(bundle->view(large, 0, kLargeBytes), ErrorCode::limit, "no address space");
        check_error(bundle->view(large, 0, kFourGib + kPieceBytes), ErrorCode::limit, "no address space");
        check_error(bundle->source()->map(0, kFourGib + 1), ErrorCode::limit, "no address space");
    } else {
        const auto view = value_of(bundle->source()->map(0, kFourGib + 1));
        CHECK(view[kFourGib] == std::byte{0});
    }
}

TEST_CASE("sparse file: one changed byte above 4 GiB is found, and harms no other block") {
    const ScratchFolder scratch;
    const std::string path = scratch.path("sparse.fardel");
    const SparseBundle made = sparse_bundle();
    write_sparse(made, path);
    const std::uint64_t blocks_at = made.forged.layout_head.blocks_offset + kZerosAt;
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(blocks_at + kFourGib + 5));
    file.put(1);
    REQUIRE(file.flush());
    const auto bundle = value_of(Bundle::open(value_of(open_file_source(path)), {}));
    const AssetIndex large = large_asset(*bundle);
    Bytes byte(1);
    CHECK(code_of(bundle->read_at(large, kFourGib + 5, byte)) == ErrorCode::corrupt);
    CHECK(code_of(bundle->view(large, kFourGib + 5, 1)) == ErrorCode::corrupt);
    CHECK(bundle->read_at(large, kFourGib - 1, byte));
    CHECK(bundle->read_at(large, kFourGib + kPieceBytes, byte));
    CHECK(bundle->read_at(large, 5, byte));  // the same offset, cut to 32 bits
}

}  // namespace fardel::tests::sparse_file_test
