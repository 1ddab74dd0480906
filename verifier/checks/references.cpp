#include "checks.h"
#include "findings/run_check.h"
#include "tables/rising_texts.h"

#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

#include <optional>
#include <tuple>
#include <vector>

namespace fardel {
namespace {

class ReferenceCheck {
public:
    ReferenceCheck(const CheckedTables& tables, BundleStrings& texts, VerifyFindings& findings)
        : tables_(tables), texts_(texts), findings_(findings), foreign_used_(tables.count(TableKind::foreign_assets)) {}

    void check() {
        RunCheck run(VerifierRule::reference_run, TableKind::references, tables_.count(TableKind::references),
                     findings_);
        for (std::uint64_t i = 0; i < tables_.count(TableKind::assets); ++i) {
            const auto asset = tables_.find<AssetRecord>(i);
            if (!asset)
                run.lose();
            if (!asset || asset->reference_count == 0)
                continue;
            if (run.take(TableKind::assets, i, asset->reference_first, asset->reference_count))
                check_run(asset->reference_first, asset->reference_count);
        }
        run.finish();
        check_foreign_assets();
    }

private:
    void check_run(std::uint64_t first, std::uint64_t count) {
        using enum TableKind;
        RisingTexts order;
        for (std::uint64_t i = first; i < first + count; ++i) {
            const auto reference = tables_.find<ReferenceRecord>(i);
            const auto spelling =
                reference ? texts_.use(reference->spelling, references, i, "spelling", findings_) : std::nullopt;
            if (const std::string defect = order.take(spelling); !defect.empty())
                findings_.add(VerifierRule::references_not_sorted, references, i,
                              defect + "; spellings of an asset must strictly increase");
            if (reference) {
                check_target(*reference, i);
                check_name(*reference, i);
            } else
                all_known_ = false;
        }
    }

    void check_target(const ReferenceRecord& reference, std::uint64_t index) {
        using enum TableKind;
        const std::string where = record_location(references, index);
        switch (reference.kind) {
            case ReferenceKind::internal:
                if (reference.target >= tables_.count(assets))
                    findings_.add(VerifierRule::reference_target, where,
                                  leads_beyond("asset", reference.target, tables_.count(assets)));
                return;
            case ReferenceKind::foreign:
                if (reference.target >= foreign_used_.size())
                    findings_.add(VerifierRule::reference_target, where,
                                  leads_beyond("foreign asset", reference.target, foreign_used_.size()));
                else
                    foreign_used_[reference.target] = true;
                return;
            case ReferenceKind::dynamic: {
                const auto name = texts_.use(reference.target, references, index, "target", findings_);
                if (!name)
                    return;
                if (Status status = verify_name(*name); !status)
                    findings_.add(VerifierRule::reference_name_malformed, where,
                                  quoted(*name) + " can never resolve: " + status.error().message());
                return;
            }
        }
    }

    // The name of a static target. Inside this bundle, it gives that target by default.
    void check_name(const ReferenceRecord& reference, std::uint64_t index) {
        using enum TableKind;
        if ((reference.flags & ReferenceRecord::named) == 0)
            return;
        const std::string where = record_location(references, index);
        const auto name = texts_.use(reference.name, references, index, "name", findings_);
        if (!name)
            return;
        if (Status status = verify_name(*name); !status)
            findings_.add(VerifierRule::reference_name_malformed, where,
                          quoted(*name) + " can never resolve: " + status.error().message());
        else if (reference.kind == ReferenceKind::internal && default_asset(reference.name) != reference.target)
            findings_.add(VerifierRule::reference_target, where,
                          "its target is asset " + std::to_string(reference.target) + ", which is not what the name " +
                              quoted(*name) + " gives by default");
    }

    // The asset that a name gives by default.
    std::optional<std::uint32_t> default_asset(StringRef text) const {
        const auto name = find_name(tables_, text);
        if (!name || name->is(NameRecord::tombstone))
            return std::nullopt;
        if (!name->is(NameRecord::has_variants))
            return name->target;
        const auto variant = tables_.find<VariantRecord>(name->target);
        return variant ? std::optional(variant->asset) : std::nullopt;
    }

    void check_foreign_assets() {
        using enum TableKind;
        std::optional<ForeignAssetRecord> before;
        for (std::uint64_t i = 0; i < tables_.count(foreign_assets); ++i) {
            const auto foreign = tables_.find<ForeignAssetRecord>(i);
            if (foreign) {
                const std::string where = record_location(foreign_assets, i);
                if (before && std::tie(foreign->id, foreign->dependency) <= std::tie(before->id, before->dependency))
                    findings_.add(VerifierRule::foreign_assets_not_sorted, where,
                                  "asset " + foreign->id.hex() + " does not come after " + before->id.hex() +
                                      "; ids must increase, and for one id its dependencies");
                check_dependency(*foreign, where);
                if (is_own(foreign->id))
                    findings_.add(VerifierRule::foreign_asset_own, where,
                                  "asset " + foreign->id.hex() + " is also in this bundle; refer to that one");
                // A damaged record may be the one that leads there.
                if (all_known_ && tables_[references].whole() && tables_[assets].whole() && !foreign_used_[i])
                    findings_.add(VerifierRule::foreign_asset_unused, where,
                                  "asset " + foreign->id.hex() + ": no reference leads to it");
            }
            before = foreign;
        }
    }

    void check_dependency(const ForeignAssetRecord& foreign, const std::string& where) {
        const std::uint64_t count = tables_.count(TableKind::dependencies);
        if (foreign.dependency >= count) {
            findings_.add(VerifierRule::foreign_asset_dependency, where,
                          leads_beyond("dependency", foreign.dependency, count));
            return;
        }
        const auto dependency = tables_.find<DependencyRecord>(foreign.dependency);
        if (dependency && (dependency->flags & DependencyRecord::is_static) == 0)
            findings_.add(VerifierRule::foreign_asset_dependency, where,
                          "dependency " + std::to_string(foreign.dependency) + " is not static");
    }

    // Searches by bisection. It may miss an asset if the table is not sorted, but that is already a finding.
    bool is_own(const AssetId& id) const {
        std::uint64_t low = 0;
        for (std::uint64_t high = tables_.count(TableKind::assets); low < high;) {
            const std::uint64_t middle = low + (high - low) / 2;
            const auto asset = tables_.find<AssetRecord>(middle);
            if (!asset)
                return false;
            if (asset->id < id)
                low = middle + 1;
            else
                high = middle;
        }
        const auto asset = tables_.find<AssetRecord>(low);
        return asset && asset->id == id;
    }

    const CheckedTables& tables_;
    BundleStrings& texts_;
    VerifyFindings& findings_;
    std::vector<bool> foreign_used_;
    bool all_known_ = true;
};

}  // namespace

void check_references(const CheckedTables& tables, BundleStrings& texts, VerifyFindings& findings) {
    ReferenceCheck(tables, texts, findings).check();
}

}  // namespace fardel
