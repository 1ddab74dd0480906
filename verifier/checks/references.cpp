#include "checks.h"
#include "findings/run_check.h"
#include "tables/rising_texts.h"

#include <fardel/base/fits.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace fardel {
namespace {

// Returns the asset that a name gives by default.
std::optional<std::uint32_t> default_asset(const CheckedTables& tables, StringRef text) {
    const auto name = tables.find_sorted(text, &NameRecord::text);
    if (!name || name->is(NameRecord::tombstone))
        return std::nullopt;
    if (!name->is(NameRecord::has_variants))
        return name->target;
    const auto variant = tables.find<VariantRecord>(name->target);
    return variant ? std::optional(variant->asset) : std::nullopt;
}

// Returns the text of a name that the record refers to, if a name can be spelled like that.
std::optional<std::string_view> use_name(BundleStrings& texts, StringRef ref, std::uint64_t index,
                                         std::string_view field, VerifyFindings& findings) {
    const auto name = texts.use(ref, TableKind::references, index, field, findings);
    const Status valid = name ? verify_name(*name) : ok();
    if (valid)
        return name;
    findings.add(VerifierRule::reference_name_malformed, TableKind::references, index,
                 quoted(*name) + " can never resolve: " + valid.error().message());
    return std::nullopt;
}

// Marks the foreign asset that the reference leads to.
void check_target(const ReferenceRecord& reference, std::uint64_t index, const CheckedTables& tables,
                  BundleStrings& texts, std::vector<bool>& foreign_used, VerifyFindings& findings) {
    const auto beyond = [&](std::string_view what, std::uint64_t count) {
        findings.add(VerifierRule::reference_target, TableKind::references, index,
                     leads_beyond(what, reference.target, count));
    };
    switch (reference.kind) {
        case ReferenceKind::internal:
            if (reference.target >= tables.count(TableKind::assets))
                beyond("asset", tables.count(TableKind::assets));
            return;
        case ReferenceKind::foreign:
            if (reference.target >= foreign_used.size())
                beyond("foreign asset", foreign_used.size());
            else
                foreign_used[reference.target] = true;
            return;
        case ReferenceKind::dynamic: use_name(texts, reference.target, index, "target", findings); return;
    }
}

// Checks the name of a static target. Inside this bundle, it gives that target by default.
void check_name(const ReferenceRecord& reference, std::uint64_t index, const CheckedTables& tables,
                BundleStrings& texts, VerifyFindings& findings) {
    if ((reference.flags & ReferenceRecord::named) == 0)
        return;
    const auto name = use_name(texts, reference.name, index, "name", findings);
    if (name && reference.kind == ReferenceKind::internal && default_asset(tables, reference.name) != reference.target)
        findings.add(VerifierRule::reference_target, TableKind::references, index,
                     "its target is asset " + std::to_string(reference.target) + ", which is not what the name " +
                         quoted(*name) + " gives by default");
}

// Checks the references of one asset. Returns whether all of them are known.
bool check_run(std::uint64_t first, std::uint64_t count, const CheckedTables& tables, BundleStrings& texts,
               std::vector<bool>& foreign_used, VerifyFindings& findings) {
    using enum TableKind;
    RisingTexts order;
    bool all_known = true;
    for (std::uint64_t i = first; i < first + count; ++i) {
        const auto reference = tables.find<ReferenceRecord>(i);
        const auto spelling =
            reference ? texts.use(reference->spelling, references, i, "spelling", findings) : std::nullopt;
        if (const std::string defect = order.add(spelling); !defect.empty())
            findings.add(VerifierRule::references_not_sorted, references, i,
                         defect + "; spellings of an asset must strictly increase");
        all_known = all_known && reference;
        if (!reference)
            continue;
        check_target(*reference, i, tables, texts, foreign_used, findings);
        check_name(*reference, i, tables, texts, findings);
    }
    return all_known;
}

void check_dependency(const ForeignAssetRecord& foreign, const std::string& where, const CheckedTables& tables,
                      VerifyFindings& findings) {
    const std::uint64_t count = tables.count(TableKind::dependencies);
    if (foreign.dependency >= count) {
        findings.add(VerifierRule::foreign_asset_dependency, where,
                     leads_beyond("dependency", foreign.dependency, count));
        return;
    }
    const auto dependency = tables.find<DependencyRecord>(foreign.dependency);
    if (dependency && (dependency->flags & DependencyRecord::is_static) == 0)
        findings.add(VerifierRule::foreign_asset_dependency, where,
                     "dependency " + std::to_string(foreign.dependency) + " is not static");
}

// `used`: per foreign asset, whether a reference leads to it; nullptr if that is not known.
void check_foreign_assets(const CheckedTables& tables, const std::vector<bool>* used, VerifyFindings& findings) {
    using enum TableKind;
    std::optional<ForeignAssetRecord> before;
    for (std::uint64_t i = 0; i < tables.count(foreign_assets); ++i) {
        const auto foreign = tables.find<ForeignAssetRecord>(i);
        if (foreign) {
            const std::string where = record_location(foreign_assets, i);
            if (before && std::tie(foreign->id, foreign->dependency) <= std::tie(before->id, before->dependency))
                findings.add(VerifierRule::foreign_assets_not_sorted, where,
                             "asset " + foreign->id.hex() + " does not come after " + before->id.hex() +
                                 "; ids must increase, and for one id its dependencies");
            check_dependency(*foreign, where, tables, findings);
            if (tables.find_sorted(foreign->id, &AssetRecord::id))
                findings.add(VerifierRule::foreign_asset_own, where,
                             "asset " + foreign->id.hex() + " is also in this bundle; refer to that one");
            // If a record is damaged, it may be the one that leads there, and `used` is not known.
            if (used && !(*used)[in_memory(i)])
                findings.add(VerifierRule::foreign_asset_unused, where,
                             "asset " + foreign->id.hex() + ": no reference leads to it");
        }
        before = foreign;
    }
}

}  // namespace

void check_references(const CheckedTables& tables, BundleStrings& texts, VerifyFindings& findings) {
    using enum TableKind;
    RunCheck run(VerifierRule::reference_run, references, tables.count(references), findings);
    std::vector<bool> foreign_used(in_memory(tables.count(foreign_assets)));
    bool all_known = tables[references].is_complete() && tables[assets].is_complete();
    for (std::uint64_t i = 0; i < tables.count(assets); ++i) {
        const auto asset = tables.find<AssetRecord>(i);
        if (!asset)
            run.lose();
        if (!asset || asset->reference_count == 0)
            continue;
        if (run.add(assets, i, asset->reference_first, asset->reference_count) &&
            !check_run(asset->reference_first, asset->reference_count, tables, texts, foreign_used, findings))
            all_known = false;
    }
    run.finish();
    check_foreign_assets(tables, all_known ? &foreign_used : nullptr, findings);
}

}  // namespace fardel
