#include "defects.h"

#include <algorithm>
#include <tuple>

namespace fardel {

using forge::Draft;
using forge::Recipe;
using forge::small_recipe;
using forge::wide_recipe;

namespace {

// Rows A01 to A11: names that no bundle may have. Their strings are valid, so there is no other finding.
std::vector<Defect> malformed_names() {
    const std::vector<std::pair<std::string, std::string>> rows{
        {"steps up", "a/../b"},  // A01
        {"has an empty part", "a//b"},
        {"begins with a slash", "/a"},
        {"ends with a slash", "a/"},
        {"has a back slash", "a\\b"},  // A02
        {"names a drive", "C:/a"},
        {"has a colon", "a:stream"},  // A03
        {"has a control character", "a\tb"},
        {"has a wildcard", "a*"},
        {"ends in a dot", "a./b"},  // A04
        {"ends in a space", "a "},
        {"is a device of Windows", "maps/NUL.txt"},  // A05
        {"is not NFC", "e\u0301"},                   // A09
        {"has an invisible character", "a\u200bb"},
        {"is empty", ""},
        {"is the folder of all assets", "assets"},  // A15
        {"is a path of an asset", "assets/" + std::string(64, '0')},
        {"is a path in a bundle", "bundles/" + std::string(64, 'f') + "/a"},
        {"is too long", std::string(255, 'a') + "/" + std::string(255, 'b') + "/" + std::string(255, 'c') + "/" +
                            std::string(255, 'd') + "/e"},  // A11
        {"has too long a part", std::string(256, 'a')},
    };
    std::vector<Defect> defects;
    for (const auto& [what, name] : rows)
        defects.push_back({"a name " + what, "name-malformed", {}, with_names({name})});
    return defects;
}

std::vector<std::string> case_variants(std::string_view text, std::size_t count) {
    std::vector<std::string> variants;
    for (std::size_t i = 0; i < count; ++i) {
        std::string variant(text);
        for (std::size_t bit = 0; bit < variant.size(); ++bit)
            if ((i >> bit & 1) != 0)
                variant[bit] = static_cast<char>(variant[bit] - 'a' + 'A');
        variants.push_back(std::move(variant));
    }
    return variants;
}

std::vector<Defect> variant_defects() {
    const auto sky = [](Draft& d) -> NameRecord& { return d.names[d.name_with("textures/sky")]; };
    return {
        {"a run of variants begins too early",
         "variant-run",
         {"string-unused", "tag-run"},
         drafted(small_recipe(), [=](Draft& d) { sky(d).target -= 1; })},
        {"a run of variants ends beyond the table",
         "variant-run",
         {"string-unused", "tag-run"},
         drafted(small_recipe(), [=](Draft& d) { sky(d).target = 0xffff'ffff; })},
        {"a variant is unclaimed",
         "variant-run",
         {},
         drafted(small_recipe(),
                 [](Draft& d) {
                     d.variants.push_back({0, 0, 0, 0});
                 })},
        {"a variant belongs to another name",
         "variant-of-another-name",
         {},
         drafted(small_recipe(), [](Draft& d) { d.variants[0].name += 1; })},
        {"a variant leads to no asset",
         "variant-target",
         {},
         drafted(small_recipe(), [](Draft& d) { d.variants[0].asset = 999; })},
        {"two variants have the same tags",
         "variants-alike",
         {},
         cooked(wide_recipe(3),
                [](Recipe& r) {
                    r.names[0].variants = {{0, {{"lang", "fr"}}}, {1, {{"lang", "fr"}}}};
                })},
        {"a plain name is written as a variant",
         "variant-needless",
         {},
         drafted(wide_recipe(5),
                 [](Draft& d) {
                     NameRecord& last = d.names.back();
                     d.variants.push_back({last.target, static_cast<std::uint32_t>(d.names.size() - 1), 0, 0});
                     last.target = 0;
                     last.count = 1;
                     last.flags |= NameRecord::has_variants;
                 })},
        {"a tag is unclaimed",
         "tag-run",
         {},
         drafted(small_recipe(), [](Draft& d) { d.tags.push_back(d.tags.front()); })},
        {"a run of tags begins too late",
         "tag-run",
         {"tags-not-sorted", "string-unused"},
         drafted(small_recipe(), [](Draft& d) { d.variants[1].tag_first += 1; })},
        {"a variant without tags has a first tag",
         "tag-run",
         {},
         drafted(small_recipe(), [](Draft& d) { d.variants[2].tag_first = 1; })},
        {"axes are not sorted",
         "tags-not-sorted",
         {},
         drafted(small_recipe(), [](Draft& d) { std::swap(d.tags[1], d.tags[2]); })},
        {"an axis appears twice",
         "tags-not-sorted",
         {"string-unused"},
         drafted(small_recipe(), [](Draft& d) { d.tags[2].axis = d.tags[1].axis; })},
        {"no preference can name a tag",
         "tag-malformed",
         {},
         cooked(wide_recipe(3),
                [](Recipe& r) {
                    r.names[0].variants = {{0, {{"lang", "fr, en"}}}};
                })},
    };
}

}  // namespace

std::vector<Defect> name_defects() {
    const auto few = wide_recipe(5);
    std::vector<Defect> defects{
        {"names are not sorted",
         "names-not-sorted",
         {},
         drafted(few,
                 [](Draft& d) {
                     std::swap(d.names[0], d.names[1]);
                     d.index_again();
                 })},
        {"a name appears twice",
         "names-not-sorted",
         {"names-fold-equal", "string-unused"},  // A07
         drafted(few,
                 [](Draft& d) {
                     d.names[1].text = d.names[0].text;
                     d.index_again();
                 })},
        {"two names differ in case", "names-fold-equal", {}, with_names({"Textures/Water", "textures/water"})},  // A08
        {"two names fold to one", "names-fold-equal", {}, with_names({"stra\u00dfe", "STRASSE"})},
        {"a name is the short alias of another",
         "name-is-alias",
         {},
         with_names({"PROGRA~1", "Program Files/a"})},                                // A06
        {"a file is also a folder", "name-is-folder", {}, with_names({"a", "a/b"})},  // A12
        {"a file is also a folder, far from it", "name-is-folder", {}, with_names({"a", "a!", "a-", "a/b/c"})},
        {"a file is also a folder in other case", "name-is-folder", {}, with_names({"A", "a/b"})},
        {"a script lies where the game does not read it",
         "name-misplaced",
         {},
         with_names({"Scripts/A.shader", "old/b.shader"}),
         [](VerifyOptions& options) {
             options.placements = {{.files = "**/*.shader", .within = {"scripts/*.shader"}, .why = "scripts/ is read"}};
         }},
        {"too many names share a hash",
         "name-hash-crowded",
         {"names-fold-equal"},
         with_names(case_variants("abcdefg", 65))},
        {"a name leads to no asset", "name-target", {}, drafted(few, [](Draft& d) { d.names[0].target = 5; })},
        {"a name has an unknown flag",
         "record-malformed",
         {"string-unused"},
         drafted(few, [](Draft& d) { d.names[0].flags |= 64; })},
        {"a bucket has another hash",
         "bucket-wrong",
         {},
         drafted(few, [](Draft& d) { d.name_buckets.front().hashes[0] -= 1; })},
        {"a bucket leads to no name",
         "bucket-wrong",
         {},
         drafted(few, [](Draft& d) { d.name_buckets.front().names[0] = 5; })},
        {"a bucket has another text",
         "bucket-wrong",
         {},
         drafted(few, [](Draft& d) { d.name_buckets.front().texts[0] = d.names.back().text + 1; })},
        {"a bucket hides a name",
         "bucket-wrong",
         {},
         drafted(few,
                 [](Draft& d) {
                     NameBucketRecord& bucket = d.name_buckets.front();
                     --bucket.used;
                     bucket.hashes[bucket.used] = bucket.texts[bucket.used] = bucket.names[bucket.used] = 0;
                 })},
        {"a bucket spills nothing",
         "bucket-wrong",
         {},
         drafted(few, [](Draft& d) { d.name_buckets.back().spills = 1; })},
        {"a bucket too many", "bucket-wrong", {}, drafted(few, [](Draft& d) { d.name_buckets.emplace_back(); })},
        {"a bucket with six slots",
         "record-malformed",
         {},
         drafted(few, [](Draft& d) { d.name_buckets.front().used = 6; })},
        {"a filter hides a name", "bucket-wrong", {}, drafted(few, [](Draft& d) { d.name_filters.front() = 0; })},
        {"a filter lets absent names through",
         "bucket-wrong",
         {},
         drafted(few, [](Draft& d) { d.name_filters.front() = 0xffff'ffff; })},
        {"too many names lead to one bucket",
         "bucket-crowded",
         {"names-fold-equal", "name-hash-crowded"},
         with_names(case_variants("abcdefgh", 256))},
    };
    for (auto list : {malformed_names(), variant_defects()})
        for (Defect& defect : list)
            defects.push_back(std::move(defect));
    return defects;
}

}  // namespace fardel
