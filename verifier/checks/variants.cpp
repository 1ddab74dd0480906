#include "checks.h"
#include "findings/run_check.h"
#include "tables/rising_texts.h"

#include <fardel/base/ascii.h>
#include <fardel/format/manifest.h>
#include <fardel/format/tag.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace fardel {
namespace {

// Checks the tags of one variant and returns them; nothing if one of them is unknown.
std::optional<TagViews> check_tags(const VariantRecord& variant, const CheckedTables& tables, BundleStrings& texts,
                                   VerifyFindings& findings) {
    using enum TableKind;
    TagViews found;
    bool known = true;
    RisingTexts order;
    for (std::uint64_t i = variant.tag_first; i < std::uint64_t{variant.tag_first} + variant.tag_count; ++i) {
        const auto tag = tables.find<TagRecord>(i);
        const auto axis = tag ? texts.use(tag->axis, tags, i, "axis", findings) : std::nullopt;
        const auto value = tag ? texts.use(tag->value, tags, i, "value", findings) : std::nullopt;
        for (const auto& word : {axis, value})
            if (word && !is_word(*word))
                findings.add(
                    VerifierRule::tag_malformed, tags, i,
                    quoted(*word) + " is not a word that a preference can name: " + std::string(kTagWordCharacters));
        if (const std::string defect = order.add(axis); !defect.empty())
            findings.add(VerifierRule::tags_not_sorted, tags, i,
                         "axis " + defect + "; axes of a variant must strictly increase");
        known = known && axis && value;
        if (known)
            found.push_back({*axis, *value});
    }
    return known ? std::optional(std::move(found)) : std::nullopt;
}

}  // namespace

void check_variants(const CheckedTables& tables, BundleStrings& texts, VerifyFindings& findings) {
    using enum TableKind;
    RunCheck variant_run(VerifierRule::variant_run, variants, tables.count(variants), findings);
    RunCheck tag_run(VerifierRule::tag_run, tags, tables.count(tags), findings);
    std::vector<std::pair<TagViews, std::uint64_t>> of_one_name;
    for (std::uint64_t n = 0; n < tables.count(names); ++n) {
        const auto name = tables.find<NameRecord>(n);
        if (!name) {
            // After a record that cannot be read, nobody knows where the next run begins; it was reported itself.
            variant_run.lose();
            tag_run.lose();
        }
        if (!name || !name->is(NameRecord::has_variants))
            continue;
        if (!variant_run.add(names, n, name->target, name->count)) {
            tag_run.lose();
            continue;
        }
        of_one_name.clear();
        for (std::uint64_t v = name->target; v < std::uint64_t{name->target} + name->count; ++v) {
            const auto variant = tables.find<VariantRecord>(v);
            if (!variant) {
                tag_run.lose();
                continue;
            }
            if (variant->name != n)
                findings.add(VerifierRule::variant_of_another_name, variants, v,
                             "it belongs to name " + std::to_string(variant->name) + ", but name " + std::to_string(n) +
                                 " claims it");
            if (variant->asset >= tables.count(assets))
                findings.add(VerifierRule::variant_target, variants, v,
                             leads_beyond("asset", variant->asset, tables.count(assets)));
            if (variant->tag_count == 0) {
                if (variant->tag_first != 0)
                    findings.add(
                        VerifierRule::tag_run, variants, v,
                        "it has no tags, but its first tag is " + std::to_string(variant->tag_first) + " instead of 0");
                if (name->count == 1 && !name->is(NameRecord::extends))
                    findings.add(VerifierRule::variant_needless, names, n,
                                 "a single variant without tags must be written as a plain name");
                of_one_name.emplace_back(TagViews{}, v);
            } else if (tag_run.add(variants, v, variant->tag_first, variant->tag_count)) {
                if (auto found = check_tags(*variant, tables, texts, findings))
                    of_one_name.emplace_back(*std::move(found), v);
            }
        }
        std::ranges::sort(of_one_name);
        for (std::size_t i = 1; i < of_one_name.size(); ++i)
            if (of_one_name[i].first == of_one_name[i - 1].first)
                findings.add(VerifierRule::variants_alike, variants, of_one_name[i].second,
                             "it has the same tags as variant " + std::to_string(of_one_name[i - 1].second) +
                                 " of the same name, so it is never chosen");
    }
    variant_run.finish();
    tag_run.finish();
}

}  // namespace fardel
