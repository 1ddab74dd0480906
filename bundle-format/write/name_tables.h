// Builds the tables about names: the assets of each name, and the look-up of names.
#pragma once

#include "asset_storage.h"
#include "sorted_names.h"
#include "string_table.h"

#include <fardel/format/bundle_plan.h>

#include <cstddef>
#include <span>
#include <vector>

namespace fardel {

struct NameTables {
    std::vector<std::byte> names;
    std::vector<std::byte> name_buckets;
    std::vector<std::byte> name_filters;
    std::vector<std::byte> variants;
    std::vector<std::byte> tags;
};

// Adds every string that the tables refer to.
void add_name_strings(std::span<const PlannedName> planned, const SortedNames& sorted, StringTable& strings);

// `strings` is sealed and contains those strings. The plan was verified.
NameTables build_name_tables(std::span<const PlannedName> planned, const SortedNames& sorted,
                             const StoredContent& content, const StringTable& strings);

}  // namespace fardel
