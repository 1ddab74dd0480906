#include "checks.h"

#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <string>

namespace fardel {

void check_name_placements(const CheckedTables& tables, const BundleStrings& texts,
                           std::span<const NamePlacement> placements, VerifyFindings& findings) {
    for (std::uint32_t name = 0; !placements.empty() && name < tables.count(TableKind::names); ++name) {
        const auto record = tables.find<NameRecord>(name);
        const auto text = record ? texts.find(record->text) : std::nullopt;
        if (!text || !record->is(NameRecord::published))
            continue;
        const std::string folded = fold_name(*text);
        const auto matches = [&](const std::string& glob) { return glob_matches(glob, folded); };
        for (const NamePlacement& placement : placements)
            if (matches(placement.files) && std::ranges::none_of(placement.within, matches))
                findings.add(VerifierRule::name_misplaced, record_location(TableKind::names, name),
                             quoted(*text) + " lies where the game does not read it: " + placement.why);
    }
}

}  // namespace fardel
