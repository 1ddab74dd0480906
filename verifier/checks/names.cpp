#include "checks.h"
#include "tables/rising_texts.h"

#include <fardel/format/id_path.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

namespace fardel {

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
        Status status = text ? verify_name(*text) : ok();
        if (status && text && name->is(NameRecord::published))
            status = verify_no_id_path(*text);
        if (!status)
            findings.add(VerifierRule::name_malformed, names, i,
                         Error(status.error().code(), quoted(*text) + ": " + status.error().message()));
        if (const std::string defect = order.add(text); !defect.empty())
            findings.add(VerifierRule::names_not_sorted, names, i,
                         defect + "; names must strictly increase in byte order");
    }
}

}  // namespace fardel
