// Builds the tables about names: the assets of each name, and the look-up of names.
#pragma once

#include "asset_storage.h"
#include "sorted_names.h"
#include "string_table.h"
#include "table_section.h"

#include <fardel/format/bundle_plan.h>

#include <span>

namespace fardel {

// Adds every string that the tables refer to.
void add_name_strings(std::span<const PlannedName> planned, const SortedNames& sorted, StringTable& strings);

// `strings` is sealed and contains those strings. The plan was verified.
void build_name_tables(std::span<const PlannedName> planned, const SortedNames& sorted, const StoredContent& content,
                       const StringTable& strings, TableBytes& tables);

}  // namespace fardel
