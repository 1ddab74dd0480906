#include "asset_classes.h"

#include <fardel/base/fits.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/format/printable.h>
#include <fardel/format/trust_policy.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace fardel {
namespace {

std::string finding_text(const std::string& subject, const ContentFinding& found, ContentClass brings) {
    return subject + " is " + std::string(found.what) + " (" + std::string(content_class_name(found.content)) + "); " +
           describe_limit(brings);
}

}  // namespace

AssetClasses::AssetClasses(const CheckedTables& tables, const BundleStrings& texts)
    : tables_(tables), texts_(texts), claims_(in_memory(tables.count(TableKind::assets))) {
    const auto claim = [&](std::uint32_t asset, const NameRecord& name) {
        if (const auto text = asset < claims_.size() ? texts_.find(name.text) : std::nullopt)
            claims_[asset] = claims_[asset] | claim_of(*text);
    };
    for (std::uint64_t i = 0; i < tables.count(TableKind::names); ++i) {
        const auto name = tables.find<NameRecord>(i);
        if (name && !name->is(NameRecord::tombstone) && !name->is(NameRecord::has_variants))
            claim(name->target, *name);
    }
    for (std::uint64_t i = 0; i < tables.count(TableKind::variants); ++i)
        if (const auto variant = tables.find<VariantRecord>(i))
            if (const auto name = tables.find<NameRecord>(variant->name))
                claim(variant->asset, *name);
}

void AssetClasses::add(std::uint32_t asset, std::span<const std::byte> head) {
    const ContentFinding found = classify_bytes(head, asset < claims_.size() ? claims_[asset] : ContentClaim::nothing);
    if (found.content != ContentClass::data)
        found_.emplace_back(asset, found);
}

void AssetClasses::check(ContentClass brings, const AssetLabels& labels, VerifyFindings& findings) const {
    constexpr VerifierRule kRule = VerifierRule::content_not_allowed;
    for (std::uint64_t i = 0; i < tables_.count(TableKind::names) && brings < ContentClass::code; ++i) {
        const auto name = tables_.find<NameRecord>(i);
        const auto text = name && !name->is(NameRecord::tombstone) ? texts_.find(name->text) : std::nullopt;
        const ContentFinding found = text ? classify_name(*text) : ContentFinding{};
        if (found.content > brings)
            findings.add(kRule, TableKind::names, i, finding_text(in_quotes(*text), found, brings));
    }
    for (const auto& [asset, found] : found_)
        if (found.content > brings)
            findings.add(kRule, TableKind::assets, asset, finding_text(labels.text(asset), found, brings),
                         {labels.affected(asset)});
}

}  // namespace fardel
