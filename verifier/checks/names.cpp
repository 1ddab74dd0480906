#include "checks.h"
#include "tables/rising_texts.h"

#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

namespace fardel {
namespace {

void check_target(const NameRecord& name, std::uint64_t index, const Tables& tables, Findings& findings) {
    if (name.is(NameRecord::tombstone) || name.is(NameRecord::has_variants))
        return;  // the record's form; variants.cpp
    if (name.target >= tables.count(TableKind::assets))
        findings.add(Rule::name_target, record_place(TableKind::names, index),
                     "it leads to asset " + std::to_string(name.target) + "; the bundle has " +
                         std::to_string(tables.count(TableKind::assets)));
}

}  // namespace

void check_names(const Tables& tables, Strings& texts, Findings& findings) {
    using enum TableKind;
    RisingTexts order;
    for (std::uint64_t i = 0; i < tables.count(names); ++i) {
        const auto name = tables.find<NameRecord>(i);
        const auto text = name ? texts.use(name->text, names, i, "text", findings) : std::nullopt;
        if (name)
            check_target(*name, i, tables, findings);
        if (Status status = text ? verify_name(*text) : ok(); !status)
            findings.add(Rule::name_malformed, record_place(names, i),
                         Error(status.error().code(), quoted(*text) + ": " + status.error().message()));
        if (const std::string defect = order.take(text); !defect.empty())
            findings.add(Rule::names_not_sorted, record_place(names, i),
                         defect + "; names strictly increase in byte order");
    }
}

}  // namespace fardel
