#include "hashed_names.h"

#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

#include <algorithm>

namespace fardel {

std::vector<HashedName> hash_names(const CheckedTables& tables, const BundleStrings& texts) {
    std::vector<HashedName> names;
    names.reserve(tables.count<NameRecord>());
    for (std::uint32_t i = 0; i < tables.count<NameRecord>(); ++i) {
        const auto name = tables.find<NameRecord>(i);
        if (const auto text = name ? texts.find(name->text) : std::nullopt)
            names.push_back({name_hash(*text), i});
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace fardel
