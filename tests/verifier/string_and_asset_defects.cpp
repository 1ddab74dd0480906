#include "defects.h"

#include <fardel/format/limits.h>

#include <algorithm>

namespace fardel {

using forge::Bytes;
using forge::Draft;
using forge::Recipe;
using forge::small_recipe;
using forge::wide_recipe;

std::vector<Defect> string_and_asset_defects() {
    const auto few = wide_recipe(5);
    return {
        {"the last string ends beyond the table",
         "string-cut-off",
         {},
         drafted(few,
                 [](Draft& d) {
                     for (const int byte : {5, 0, int{'a'}})
                         d.strings.push_back(static_cast<std::byte>(byte));
                 })},
        {"a string is not UTF-8",
         "string-not-utf8",
         {},
         cooked(few,
                [](Recipe& r) {
                    r.metadata = {{"build", "\xc0\xaf"}};
                })},  // A10
        {"a string is a surrogate",
         "string-not-utf8",
         {},
         cooked(few,
                [](Recipe& r) {
                    r.metadata = {{"build", "\xed\xa0\x80"}};
                })},
        // A25
        {"a string appears twice",
         "strings-not-sorted",
         {},
         drafted(few,
                 [](Draft& d) {
                     d.assets.back().content_type = static_cast<StringRef>(d.strings.size());
                     d.strings.push_back(std::byte{10});
                     d.strings.push_back(std::byte{0});
                     for (const std::byte byte : forge::bytes_of("text/plain"))
                         d.strings.push_back(byte);
                 })},
        {"a string is unused", "string-unused", {}, drafted(few, [](Draft& d) { d.add_string("zzz"); })},
        {"a reference leads into a string",
         "string-reference",
         {},
         drafted(few, [](Draft& d) { d.assets[2].content_type += 1; })},
        {"a reference leads behind the strings",
         "string-reference",
         {},
         drafted(few, [](Draft& d) { d.assets[2].content_type = 0xffff'fff0; })},
        {"assets are not sorted",
         "assets-not-sorted",
         {},
         drafted(few,
                 [](Draft& d) {
                     std::swap(d.assets[0], d.assets[1]);
                     std::swap(d.placements[0], d.placements[1]);
                     for (NameRecord& name : d.names)
                         if (name.target < 2)
                             name.target = 1 - name.target;
                     d.index_again();
                 })},
        {"an asset appears twice",
         "assets-not-sorted",
         {"asset-wrong"},
         drafted(few,
                 [](Draft& d) {
                     d.assets[1].id = d.assets[0].id;
                     d.index_again();
                 })},
        {"an empty asset has another id",
         "asset-id-of-nothing",
         {},
         drafted(small_recipe(), [](Draft& d) { d.assets[d.asset_with(Bytes())].id.bytes[31] ^= 1; })},
        {"an asset with bytes has the id of none",
         "asset-id-of-nothing",
         {"asset-wrong", "assets-not-sorted"},
         drafted(few,
                 [](Draft& d) {
                     Draft small = forge::draft(small_recipe());
                     d.assets[0].id = small.assets[small.asset_with(Bytes())].id;
                     d.index_again();
                 })},
        {"a content type is no media type",
         "content-type-malformed",
         {},
         cooked(few, [](Recipe& r) { r.assets[0].content_type = "jpeg"; })},
        {"a content type is in upper case",
         "content-type-malformed",
         {},
         cooked(few, [](Recipe& r) { r.assets[0].content_type = "Image/JPEG"; })},
        {"a run of pieces begins too late",
         "piece-run",
         {"piece-wrong"},
         drafted(small_recipe(),
                 [](Draft& d) {
                     for (AssetRecord& asset : d.assets)
                         if (asset.piece_first != kNoIndex)
                             asset.piece_first += 1;
                 })},
        {"a piece belongs to no asset",
         "piece-run",
         {},
         drafted(small_recipe(), [](Draft& d) { d.pieces.push_back(d.pieces.front()); })},
        {"a bucket begins too late", "bucket-wrong", {}, drafted(few, [](Draft& d) { d.asset_buckets.front() = 1; })},
        {"the last bucket does not end the table",
         "bucket-wrong",
         {},
         drafted(few, [](Draft& d) { d.asset_buckets.back() -= 1; })},
        {"a bucket holds too many assets",
         "bucket-crowded",
         {"asset-wrong"},
         drafted(wide_recipe(600),
                 [](Draft& d) {
                     for (std::size_t i = 0; i < d.assets.size(); ++i) {
                         d.assets[i].id.bytes.fill(0);
                         d.assets[i].id.bytes[30] = static_cast<std::uint8_t>((i + 1) >> 8);
                         d.assets[i].id.bytes[31] = static_cast<std::uint8_t>(i + 1);
                     }
                     d.index_again();
                 })},
        {"an asset record has a reserved byte set",
         "record-malformed",
         {"block-not-filled"},
         drafted(few,
                 [](Draft& d) {
                     d.edit_table = [](TableKind kind, Bytes& records) {
                         if (kind == TableKind::assets)
                             records[63] = std::byte{1};
                     };
                 })},
        {"an asset has an unknown piece size",
         "record-malformed",
         {"block-not-filled"},
         drafted(few, [](Draft& d) { d.assets[0].piece_log2 = 17; })},
        // A24, A29
        {"an asset is larger than any asset may be",
         "record-malformed",
         {"block-not-filled"},
         drafted(few, [](Draft& d) { d.assets[0].raw_bytes = UINT64_MAX; })},
        {"an asset claims more bytes than there are blocks",
         "placement-outside",
         {"piece-run", "block-not-filled"},
         drafted(few,
                 [](Draft& d) {
                     d.assets[0].raw_bytes = limits::kAssetBytesMax;
                     d.assets[0].piece_first = 0;
                 })},
    };
}

}  // namespace fardel
