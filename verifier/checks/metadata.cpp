#include "checks.h"
#include "tables/rising_texts.h"

#include <fardel/format/manifest.h>
#include <fardel/format/requirement.h>
#include <fardel/format/shown_date.h>

#include <algorithm>
#include <array>
#include <bit>

namespace fardel {
namespace {

// ---- Keys with a known meaning --------------------------------------------------------------------------------------

struct WellKnown {
    std::string_view key;
    MetadataKind kind;
    bool of_bundle_only = false;
};
constexpr std::array<WellKnown, 3> kWellKnown{
    {{"expires", MetadataKind::integer}, {"name", MetadataKind::text, true}, {"version", MetadataKind::text, true}}};
constexpr std::string_view kMetricPrefix = "metric.";

std::string_view kind_name(MetadataKind kind) {
    switch (kind) {
        case MetadataKind::text: return "text";
        case MetadataKind::number: return "number";
        case MetadataKind::integer: return "integer";
        case MetadataKind::boolean: return "boolean";
    }
    return "unknown";
}

std::optional<MetadataKind> find_expected_kind(std::string_view key, bool of_bundle) {
    if (key.starts_with(kMetricPrefix))
        return MetadataKind::number;
    if (of_bundle && key.starts_with(kRequirementKeyPrefix))
        return MetadataKind::text;
    const auto known = std::ranges::find(kWellKnown, key, &WellKnown::key);
    if (known == kWellKnown.end() || (known->of_bundle_only && !of_bundle))
        return std::nullopt;
    return known->kind;
}

// ---- The check ------------------------------------------------------------------------------------------------------

class MetadataCheck {
public:
    MetadataCheck(const CheckedTables& tables, TableKind kind, BundleStrings& texts, std::optional<UnixTime> now,
                  VerifyFindings& findings)
        : tables_(tables), kind_(kind), texts_(texts), now_(now), findings_(findings) {}

    void check() {
        RisingTexts keys;             // of the current subject
        std::uint64_t run_first = 0;  // the first record of the current subject
        std::uint32_t subject = 0;
        bool subject_known = false;
        bool all_known = true;
        for (std::uint64_t i = 0; i < tables_.count(kind_); ++i) {
            const auto record = tables_.find<MetadataRecord>(i, kind_);
            // The page is damaged, which is reported elsewhere. Across the gap, the order is unknown.
            if (!record) {
                all_known = false;
                subject_known = false;
                continue;
            }
            if (subject_known && record->subject < subject)
                findings_.add(
                    VerifierRule::metadata_not_sorted, kind_, i,
                    "it comes after records of a later subject; subjects must rise, and the bundle itself is the last");
            if (!subject_known || record->subject != subject) {
                keys = RisingTexts();
                run_first = i;
                subject = record->subject;
                subject_known = true;
            }
            // Equal, not greater: one finding for each subject, however many records it has.
            if (i - run_first == limits::kMetadataPerSubjectMax)
                findings_.add(
                    VerifierRule::metadata_crowded, kind_, i,
                    "more than " + std::to_string(limits::kMetadataPerSubjectMax) + " records for one subject");
            const auto key = texts_.use(record->key, kind_, i, "key", findings_);
            if (const std::string defect = keys.add(key); !defect.empty())
                findings_.add(VerifierRule::metadata_not_sorted, kind_, i,
                              defect + "; keys of a subject must strictly increase");
            check_value(*record, key, i);
        }
        // Asset records have indices into this table only.
        if (kind_ == TableKind::metadata && all_known)
            check_runs();
    }

private:
    void check_value(const MetadataRecord& record, std::optional<std::string_view> key, std::uint64_t index) {
        const bool of_bundle = record.subject == kBundleSubject;
        if (!of_bundle && record.subject >= tables_.count(TableKind::assets))
            findings_.add(VerifierRule::metadata_subject, kind_, index,
                          "it is about asset " + std::to_string(record.subject) + "; the bundle has " +
                              std::to_string(tables_.count(TableKind::assets)));
        if (record.kind == MetadataKind::text)
            texts_.use(record.value, kind_, index, "value", findings_);
        if (!key)
            return;
        const auto expected = find_expected_kind(*key, of_bundle);
        if (expected && *expected != record.kind)
            findings_.add(VerifierRule::metadata_kind, kind_, index,
                          quoted(*key) + " is of kind " + std::string(kind_name(record.kind)) +
                              "; it must be of kind " + std::string(kind_name(*expected)));
        if (of_bundle && key->starts_with(kRequirementKeyPrefix))
            check_requirement(record, *key, index);
        if (*key == "expires" && record.kind == MetadataKind::integer && has_passed(record.date(), now_))
            findings_.add(
                VerifierRule::content_expired, kind_, index,
                (of_bundle ? std::string("the bundle expired on ")
                           : "asset " + std::to_string(record.subject) + ", which cannot be opened, expired on ") +
                    shown_date(record.date()) + "; look for a newer version");
    }

    void check_requirement(const MetadataRecord& record, std::string_view key, std::uint64_t index) {
        if (record.kind != MetadataKind::text)
            return;  // reported by check_value()
        if (++requirements_ == kRequirementsMax + 1)
            findings_.add(VerifierRule::requirement_malformed, kind_, index,
                          "the bundle has more than " + std::to_string(kRequirementsMax) + " requirements");
        if (const auto value = texts_.find(record.value))
            if (const auto requirement = Requirement::of_metadata(key, *value); !requirement)
                findings_.add(VerifierRule::requirement_malformed, kind_, index, requirement.error());
    }

    // Checks that each asset record has the index of its first metadata record.
    void check_runs() {
        std::uint64_t next = 0;
        const std::uint64_t count = tables_.count(kind_);
        const auto subject_at = [&](std::uint64_t i) { return tables_.find<MetadataRecord>(i, kind_)->subject; };
        for (std::uint64_t asset_index = 0; asset_index < tables_.count(TableKind::assets); ++asset_index) {
            while (next < count && subject_at(next) < asset_index)
                ++next;
            const bool has_any = next < count && subject_at(next) == asset_index;
            const std::uint64_t expected = has_any ? next : kNoIndex;
            const auto asset = tables_.find<AssetRecord>(asset_index);
            if (asset && asset->metadata_first != expected)
                findings_.add(VerifierRule::metadata_run, TableKind::assets, asset_index,
                              "its first metadata record is " + format(asset->metadata_first) + "; it must be " +
                                  format(expected));
        }
    }

    static std::string format(std::uint64_t index) { return index == kNoIndex ? "none" : std::to_string(index); }

    const CheckedTables& tables_;
    TableKind kind_;
    BundleStrings& texts_;
    std::optional<UnixTime> now_;
    VerifyFindings& findings_;
    std::size_t requirements_ = 0;
};

}  // namespace

void check_metadata(const CheckedTables& tables, TableKind kind, BundleStrings& texts, std::optional<UnixTime> now,
                    VerifyFindings& findings) {
    MetadataCheck(tables, kind, texts, now, findings).check();
}

}  // namespace fardel
