// Finding a name in the tables of an open bundle: a bucket, a record with the whole hash, the text.
#pragma once

#include "bundle_tables.h"

#include <fardel/format/name.h>

#include <optional>
#include <string_view>

namespace fardel {

// `names`: how many the bundle has. `hash`: name_hash(name). Errors: malformed, limit, corrupt, io.
Result<std::optional<NameIndex>> look_up_name(const BundleTables& tables, std::uint32_t names, std::string_view name, std::uint64_t hash, CaseRule rule);

}  // namespace fardel
