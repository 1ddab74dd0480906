#include "bundle_forge/damage.h"
#include "defects.h"

#include <fardel/format/manifest.h>

#include <algorithm>
#include <cstdlib>

namespace fardel {

using forge::Bytes;
using forge::changed;
using forge::Draft;
using forge::joined;
using forge::music_block;
using forge::recipe_with_raw_pieces;
using forge::rle_frame;
using forge::small_recipe;
using forge::wide_recipe;

namespace {

PlacementRecord& place_of(Draft& draft, std::string_view text) {
    return draft.placements[draft.asset_with(forge::bytes_of(text))];
}

// Each in its own block, one after the other.
forge::Recipe two_large_assets() {
    forge::Recipe recipe;
    for (const std::uint32_t seed : {1u, 2u})
        recipe.assets.push_back({.bytes = forge::noise(40'000, seed)});
    return recipe;
}

Bytes music_frame() { return rle_frame(std::byte{7}, 65536); }

// A bundle whose first piece of music is stored as `frame`; its hash is right.
std::function<forge::ForgedBundle()> with_frame(Bytes frame) {
    return drafted(small_recipe(), [frame](Draft& d) { d.store_block(music_block(d), frame, Codec::zstd); });
}

Bytes with_bytes(std::initializer_list<int> values) {
    Bytes bytes;
    for (const int value : values)
        bytes.push_back(static_cast<std::byte>(value));
    return bytes;
}

// A41 to A43: frames whose stored hash is right. The layout: magic 4, descriptor 1, content size 2, then a block header
// of 3 bytes and the byte that is repeated.
std::vector<Defect> frame_defects() {
    const Bytes good = music_frame();
    Bytes no_size = changed(good, 4, 0x00);  // window descriptor instead of a size
    no_size.erase(no_size.begin() + 5);
    no_size.at(5) = std::byte{0x30};
    const Bytes skippable = joined(with_bytes({0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 9}), good);
    const Bytes wide_window =
        joined(with_bytes({0x28, 0xb5, 0x2f, 0xfd, 0x40, 0xa8, 0x00, 0xff}), Bytes(good.begin() + 7, good.end()));
    const Bytes bomb = joined(Bytes(good.begin(), good.begin() + 7),
                              with_bytes({0x02, 0x00, 0x10, 7, 0x03, 0x00, 0x10, 7}));  // 2 × 128 KiB
    const auto also = std::vector<std::string>{};
    return {
        {"a frame expands past its block", "block-undecodable", also, with_frame(bomb)},  // A40
        {"a frame has no content size", "block-undecodable", also, with_frame(no_size)},  // A41
        {"a frame says that it is smaller", "block-undecodable", also, with_frame(changed(good, 5, 0x01))},
        {"a frame has a checksum", "block-undecodable", also,
         with_frame(joined(changed(good, 4, 0x64), Bytes(4)))},  // A42
        {"a frame asks for a dictionary", "block-undecodable", also,
         with_frame(changed(joined(good, Bytes(1)), 4, 0x61))},
        {"a frame asks for a window of 2 MiB", "block-undecodable", also, with_frame(wide_window)},
        {"a frame follows another", "block-undecodable", also, with_frame(joined(good, good))},
        {"a frame follows a skippable one", "block-undecodable", also, with_frame(skippable)},
        {"a byte follows the frame", "block-undecodable", also, with_frame(joined(good, Bytes(1)))},
        {"a frame is cut off", "block-undecodable", also, with_frame(Bytes(good.begin(), good.end() - 1))},
        {"a frame has a reserved block type", "block-undecodable", also, with_frame(changed(good, 7, 0x07))},  // A43
        {"a frame is no frame", "block-undecodable", also, with_frame(forge::noise(40, 9))},
    };
}

std::vector<Defect> placement_defects() {
    return {
        {"the layout has one asset too many",
         "placement-count",
         {},
         drafted(small_recipe(), [](Draft& d) { d.placements.push_back({}); })},
        {"an asset lies in no block",
         "placement-outside",
         {"block-not-filled"},
         drafted(wide_recipe(5), [](Draft& d) { d.placements[0].first_block = 1; })},
        {"an asset lies behind all blocks",
         "placement-outside",
         {"block-not-filled"},
         drafted(wide_recipe(5), [](Draft& d) { d.placements[0].first_block = 0xffff'ffff; })},
        {"an asset ends behind its block",
         "placement-outside",
         {"block-not-filled"},
         drafted(wide_recipe(5), [](Draft& d) { d.placements[0].offset = 0xffff'ffff; })},
        {"two assets overlap",
         "placement-overlap",
         {"block-not-filled", "asset-wrong"},
         drafted(wide_recipe(5), [](Draft& d) { place_of(d, "content of file 1").offset -= 1; })},
        {"two assets have one location",
         "placement-overlap",
         {"block-not-filled", "asset-wrong"},
         drafted(wide_recipe(5), [](Draft& d) { place_of(d, "content of file 1").offset = 0; })},
        {"a piece shares its block",
         "placement-overlap",
         {"block-not-filled"},
         drafted(small_recipe(),
                 [](Draft& d) {
                     place_of(d, "models/hero.skin names textures/hero") = {music_block(d) + 1, 0};
                 })},
        {"an empty asset has a location",
         "placement-of-nothing",
         {},
         drafted(small_recipe(), [](Draft& d) { place_of(d, "").offset = 1; })},
        {"a block has a byte that no asset owns",
         "block-not-filled",
         {},
         drafted(wide_recipe(5),
                 [](Draft& d) {
                     Bytes bytes = d.block_section;
                     bytes.push_back(std::byte{1});
                     d.store_block(0, bytes, Codec::raw);
                     d.blocks[0].raw_bytes += 1;
                 })},
        {"a block is unclaimed",
         "block-not-filled",
         {},
         drafted(wide_recipe(5),
                 [](Draft& d) {
                     d.blocks.push_back(d.blocks[0]);
                     d.blocks[1].stored_offset = d.block_section.size();
                     d.block_section = joined(d.block_section, Bytes(d.block_section));
                 })},
        {"a piece is one byte short",
         "block-size",
         {"piece-wrong"},
         drafted(small_recipe(),
                 [](Draft& d) {
                     d.store_block(music_block(d), rle_frame(std::byte{7}, 65535), Codec::zstd);
                     d.blocks[music_block(d)].raw_bytes = 65535;
                 })},
        {"a block of ordinary assets is too large",
         "block-size",
         {},
         drafted(two_large_assets(),
                 [](Draft& d) {
                     d.blocks.resize(1);
                     d.store_block(0, d.block_section, Codec::raw);
                     d.blocks[0].raw_bytes = 80'000;
                     d.placements[d.asset_with(forge::noise(40'000, 2))] = {0, 40'000};
                 })},
    };
}

}  // namespace

std::vector<Defect> layout_and_content_defects() {
    std::vector<Defect> defects{
        // A23
        {"a block stands one byte late",
         "block-misplaced",
         {},
         drafted(small_recipe(),
                 [](Draft& d) {
                     const auto at = static_cast<std::ptrdiff_t>(d.blocks.back().stored_offset);
                     d.block_section.insert(d.block_section.begin() + at, std::byte{0});
                     d.blocks.back().stored_offset += 1;
                 })},
        {"two blocks share stored bytes",
         "block-misplaced",
         {"blocks-end"},
         drafted(small_recipe(), [](Draft& d) { d.blocks.back().stored_offset = 0; })},
        {"a block ends behind the section",
         "block-misplaced",
         {},
         drafted(small_recipe(), [](Draft& d) { d.blocks.back().stored_offset = UINT64_MAX; })},  // A24
        {"a raw piece is not aligned",
         "block-misplaced",
         {"blocks-end"},
         drafted(recipe_with_raw_pieces(),
                 [](Draft& d) {
                     const auto piece = std::ranges::find_if(
                         d.blocks, [](const BlockRecord& b) { return b.codec == Codec::raw && b.raw_bytes == 65536; });
                     d.block_section.erase(d.block_section.begin() + static_cast<std::ptrdiff_t>(piece->stored_offset) -
                                           1);
                     for (auto block = piece; block != d.blocks.end(); ++block)
                         block->stored_offset -= 1;
                 })},
        {"the block section goes on",
         "blocks-end",
         {},
         drafted(small_recipe(), [](Draft& d) { d.block_section.push_back(std::byte{0}); })},
        {"a codec is not listed",
         "codec-not-listed",
         {},
         drafted(small_recipe(),
                 [](Draft& d) {
                     std::erase(d.codecs, CodecVersion{Codec::zstd, 1});
                 })},
        {"a codec is listed and not used",
         "codec-not-used",
         {},
         drafted(wide_recipe(5),
                 [](Draft& d) {
                     d.codecs.push_back({Codec::zstd, 1});
                 })},
        {"a block is of an unknown codec",
         "record-malformed",
         {},
         drafted(wide_recipe(5), [](Draft& d) { d.blocks[0].codec = Codec{7}; })},  // A44
        {"a raw block is larger than stored",
         "record-malformed",
         {},
         drafted(wide_recipe(5), [](Draft& d) { d.blocks[0].raw_bytes += 1; })},
        {"a block is larger than any block may be",
         "record-malformed",
         {},
         drafted(small_recipe(), [](Draft& d) { d.blocks[music_block(d)].raw_bytes = 262'145; })},
        {"stored bytes differ from their hash",
         "block-damaged",
         {},
         drafted(small_recipe(), [](Draft& d) { d.block_section[3] ^= std::byte{1}; })},
        {"a piece differs from its hash",
         "piece-wrong",
         {},
         drafted(small_recipe(), [](Draft& d) { d.pieces[1].bytes[0] ^= 1; })},
        // A58
        {"an asset has other bytes than its id",
         "asset-wrong",
         {},
         drafted(wide_recipe(5), [](Draft& d) { d.assets[2].id.bytes[31] ^= 1; })},
        {"an asset of pieces has other bytes than its id",
         "asset-wrong",
         {},
         drafted(small_recipe(),
                 [](Draft& d) {
                     for (AssetRecord& asset : d.assets)
                         if (asset.piece_first != kNoIndex)
                             asset.id.bytes[31] ^= 1;
                 })},
        {"the pieces of an asset are those of another",
         "piece-wrong",
         {},
         drafted(small_recipe(),
                 [](Draft& d) { d.store_block(music_block(d), rle_frame(std::byte{8}, 65536), Codec::zstd); })},
        {"a byte between blocks is not zero",
         "gap-not-zero",
         {},
         drafted(recipe_with_raw_pieces(),
                 [](Draft& d) {
                     const auto piece = std::ranges::find_if(
                         d.blocks, [](const BlockRecord& b) { return b.codec == Codec::raw && b.raw_bytes == 65536; });
                     d.block_section[piece->stored_offset - 1] = std::byte{1};
                 })},
    };
    for (auto list : {frame_defects(), placement_defects()})
        for (Defect& defect : list)
            defects.push_back(std::move(defect));
    return defects;
}

}  // namespace fardel
