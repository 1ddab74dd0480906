#include "checks.h"
#include "tables/rising_texts.h"

#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

namespace fardel {

std::optional<NameRecord> find_name(const CheckedTables& tables, StringRef text) {
    std::uint64_t low = 0;
    for (std::uint64_t high = tables.count(TableKind::names); low < high;) {
        const std::uint64_t middle = low + (high - low) / 2;
        const auto name = tables.find<NameRecord>(middle);
        if (!name)
            return std::nullopt;
        if (name->text < text)
            low = middle + 1;
        else
            high = middle;
    }
    auto name = tables.find<NameRecord>(low);
    return name && name->text == text ? name : std::nullopt;
}
namespace {

void check_target(const NameRecord& name, std::uint64_t index, const CheckedTables& tables, VerifyFindings& findings) {
    if (name.is(NameRecord::tombstone) || name.is(NameRecord::has_variants))
        return;  // decode_record() checks the first, check_variants() the second
    if (name.target >= tables.count(TableKind::assets))
        findings.add(VerifierRule::name_target, TableKind::names, index,
                     leads_beyond("asset", name.target, tables.count(TableKind::assets)));
}

}  // namespace

void check_names(const CheckedTables& tables, BundleStrings& texts, VerifyFindings& findings) {
    using enum TableKind;
    RisingTexts order;
    for (std::uint64_t i = 0; i < tables.count(names); ++i) {
        const auto name = tables.find<NameRecord>(i);
        const auto text = name ? texts.use(name->text, names, i, "text", findings) : std::nullopt;
        if (name)
            check_target(*name, i, tables, findings);
        if (Status status = text ? verify_name(*text) : ok(); !status)
            findings.add(VerifierRule::name_malformed, names, i,
                         Error(status.error().code(), quoted(*text) + ": " + status.error().message()));
        if (const std::string defect = order.take(text); !defect.empty())
            findings.add(VerifierRule::names_not_sorted, names, i,
                         defect + "; names must strictly increase in byte order");
    }
}

}  // namespace fardel
