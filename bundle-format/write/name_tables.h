// The tables about names: who is called what, and how a name is found.
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

// Every string that the tables refer to.
void add_name_strings(std::span<const PlannedName> planned, const SortedNames& sorted, StringTable& strings);

// `strings` is sealed and has those. The plan was verified.
NameTables build_name_tables(std::span<const PlannedName> planned, const SortedNames& sorted,
                             const StoredContent& content, const StringTable& strings);

}  // namespace fardel
