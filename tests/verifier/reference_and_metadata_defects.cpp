#include "defects.h"

#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <limits>

namespace fardel {

using forge::Draft;
using forge::Recipe;
using forge::Reference;
using forge::small_recipe;
using forge::wide_recipe;

namespace {

ReferenceRecord& of_kind(Draft& draft, ReferenceKind kind) {
    return *std::ranges::find(draft.references, kind, &ReferenceRecord::kind);
}

// The asset of the small recipe that has references and three metadata records.
AssetRecord& skin(Draft& draft) {
    return *std::ranges::find_if(draft.assets, [](const AssetRecord& a) { return a.reference_count != 0; });
}

}  // namespace

std::vector<Defect> reference_and_metadata_defects() {
    const auto few = wide_recipe(5);
    const auto small = small_recipe();
    return {
        {"a reference is unclaimed",
         "reference-run",
         {},
         drafted(small, [](Draft& d) { d.references.push_back(d.references.back()); })},
        {"two assets claim the same references",
         "reference-run",
         {},
         drafted(small,
                 [](Draft& d) {
                     AssetRecord& other = d.assets.back().reference_count == 0 ? d.assets.back() : d.assets.front();
                     other.reference_first = 0;
                     other.reference_count = 3;
                 })},
        {"a run of references ends beyond the table",
         "reference-run",
         {"string-unused", "foreign-asset-unused"},
         drafted(small, [](Draft& d) { skin(d).reference_count = 1'000'000; })},
        {"references are not sorted",
         "references-not-sorted",
         {},
         drafted(small, [](Draft& d) { std::swap(d.references[0], d.references[1]); })},
        {"a reference leads to no asset",
         "reference-target",
         {},
         drafted(small, [](Draft& d) { of_kind(d, ReferenceKind::internal).target = 999; })},
        {"a reference names another asset than its target",
         "reference-target",
         {},
         drafted(small,
                 [](Draft& d) {
                     ReferenceRecord& reference = of_kind(d, ReferenceKind::internal);
                     const auto other = std::ranges::find_if(d.names, [&](const NameRecord& name) {
                         return name.flags == NameRecord::published && name.target != reference.target;
                     });
                     reference.flags |= ReferenceRecord::named;
                     reference.name = other->text;
                 })},
        {"a static reference has a name that begins at no string",
         "string-reference",
         {},
         drafted(small,
                 [](Draft& d) {
                     ReferenceRecord& reference = of_kind(d, ReferenceKind::foreign);
                     reference.flags |= ReferenceRecord::named;
                     reference.name = d.names.front().text + 1;
                 })},
        {"a reference leads to no foreign asset",
         "reference-target",
         {"foreign-asset-unused"},
         drafted(small, [](Draft& d) { of_kind(d, ReferenceKind::foreign).target = 999; })},
        {"a reference is of an unknown kind",
         "record-malformed",
         {"foreign-asset-unused"},
         drafted(small, [](Draft& d) { of_kind(d, ReferenceKind::foreign).kind = ReferenceKind{9}; })},
        {"a dynamic reference can never resolve",
         "reference-name-malformed",
         {},
         cooked(small, [](Recipe& r) { r.assets[1].references[1].target = Reference::Dynamic{"../secret"}; })},
        {"a foreign asset appears twice",
         "foreign-assets-not-sorted",
         {"foreign-asset-unused"},
         drafted(small, [](Draft& d) { d.foreign_assets.push_back(d.foreign_assets[0]); })},
        {"a foreign asset is of no dependency",
         "foreign-asset-dependency",
         {},
         drafted(small, [](Draft& d) { d.foreign_assets[0].dependency = 2; })},
        {"a foreign asset is of a dynamic dependency",
         "foreign-asset-dependency",
         {},
         drafted(small, [](Draft& d) { d.foreign_assets[0].dependency = 1; })},
        {"a foreign asset is the bundle's own",
         "foreign-asset-own",
         {},
         cooked(
             small,
             [](Recipe& r) {
                 r.assets[1].references[0].target = Reference::Foreign{id_from<AssetId>(blake3(r.assets[3].bytes)), 0};
             })},
        {"a foreign asset has no reference",
         "foreign-asset-unused",
         {},
         drafted(small,
                 [](Draft& d) {
                     ForeignAssetRecord last = d.foreign_assets.back();
                     last.id.bytes.fill(0xff);
                     d.foreign_assets.push_back(last);
                 })},
        {"a consumed name is malformed",
         "consume-malformed",
         {},
         cooked(few, [](Recipe& r) { r.consumes = {{"a//b"}}; })},
        {"a bundle consumes a name that it has itself",
         "consume-own",
         {},
         cooked(few, [](Recipe& r) { r.consumes = {{r.names.front().text}}; })},
        {"a consumed pattern is malformed",
         "consume-malformed",
         {},
         cooked(few,
                [](Recipe& r) {
                    r.consumes = {{"a**", true}};
                })},
        {"a consumed name is a pattern that does not say so",
         "consume-malformed",
         {},
         cooked(few, [](Recipe& r) { r.consumes = {{"a*"}}; })},
        {"consumed names are not sorted",
         "consumes-not-sorted",
         {},
         drafted(small, [](Draft& d) { std::swap(d.consumes[0], d.consumes[1]); })},
        {"a consumed name appears twice",
         "consumes-not-sorted",
         {},
         cooked(few,
                [](Recipe& r) {
                    r.consumes = {{"a"}, {"a"}};
                })},
        {"a dependency appears twice",
         "dependency-twice",
         {},
         cooked(small, [](Recipe& r) { r.dependencies.push_back(r.dependencies[1]); })},
        {"metadata keys are not sorted",
         "metadata-not-sorted",
         {},
         drafted(small,
                 [](Draft& d) {
                     const std::uint32_t first = skin(d).metadata_first;
                     std::swap(d.metadata[first], d.metadata[first + 1]);
                 })},
        {"a metadata key appears twice",
         "metadata-not-sorted",
         {"string-unused"},
         cooked(small, [](Recipe& r) { r.metadata.emplace_back("name", std::string("other")); })},
        {"the bundle's metadata come first",
         "metadata-not-sorted",
         {"metadata-run"},
         drafted(small, [](Draft& d) { std::rotate(d.metadata.begin(), d.metadata.end() - 1, d.metadata.end()); })},
        {"metadata are about no asset",
         "metadata-subject",
         {},
         drafted(small, [](Draft& d) { d.creator_metadata.back().subject = 999; })},
        {"an asset does not know its metadata",
         "metadata-run",
         {},
         drafted(small, [](Draft& d) { skin(d).metadata_first = kNoIndex; })},
        {"an asset claims metadata of another",
         "metadata-run",
         {},
         drafted(small, [](Draft& d) { d.assets[d.asset_with(forge::Bytes())].metadata_first = 0; })},
        {"a subject has too many metadata",
         "metadata-crowded",
         {},
         cooked(few,
                [](Recipe& r) {
                    for (int i = 0; i <= 1024; ++i)
                        r.creator_metadata.emplace_back("key" + std::to_string(i), true);
                })},
        {"a metric is text",
         "metadata-kind",
         {},
         cooked(few,
                [](Recipe& r) {
                    r.metadata = {{"metric.polygons", "many"}};
                })},
        {"a requirement is a number",
         "metadata-kind",
         {},
         cooked(few,
                [](Recipe& r) {
                    r.metadata = {{"requires.studio/base", std::int64_t{1}}};
                })},
        {"a requirement has a bound without a version",
         "requirement-malformed",
         {},
         cooked(few,
                [](Recipe& r) {
                    r.metadata = {{"requires.studio/base", ">= 1.0, <"}};
                })},
        {"a bundle has too many requirements",
         "requirement-malformed",
         {},
         cooked(few,
                [](Recipe& r) {
                    for (int i = 0; i <= 256; ++i)
                        r.metadata.emplace_back("requires.base" + std::to_string(i), "*");
                })},
        {"an expiry is a number",
         "metadata-kind",
         {},
         cooked(few,
                [](Recipe& r) {
                    r.assets[0].metadata = {{"expires", 1.0}};
                })},
        {"a metric is not a finite number",
         "record-malformed",
         {},
         cooked(few,
                [](Recipe& r) {
                    r.metadata = {{"metric.polygons", std::numeric_limits<double>::infinity()}};
                })},
        {"an asset has expired",
         "content-expired",
         {},
         cooked(few,
                [](Recipe& r) {
                    r.assets[0].metadata = {{"expires", std::int64_t{1000}}};
                }),
         [](VerifyOptions& options) { options.time = TrustTime::at({1000}); }},
    };
}

}  // namespace fardel
