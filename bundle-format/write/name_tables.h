// Writes the tables about names: the assets of each name, and the look-up of names.
#pragma once

#include "asset_storage.h"
#include "string_table.h"
#include "table_section.h"

#include <fardel/format/bundle_plan.h>

#include <cstdint>
#include <span>

namespace fardel {

// Adds every string that the tables refer to. by_text: as sort_names() returns it.
void add_name_strings(std::span<const PlannedName> planned, std::span<const std::uint32_t> by_text,
                      StringTable& strings);

// `strings` is sealed and contains those strings. The plan was verified. write_name_tables() writes the names and their
// look-up, write_variant_tables() what comes behind them.
Status write_name_tables(std::span<const PlannedName> planned, std::span<const std::uint32_t> by_text,
                         const StoredContent& content, const StringTable& strings, TableSection& out);
Status write_variant_tables(std::span<const PlannedName> planned, std::span<const std::uint32_t> by_text,
                            const StoredContent& content, const StringTable& strings, TableSection& out);

}  // namespace fardel
