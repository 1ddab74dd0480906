// The store that a verb uses: --store, or the variable FARDEL_STORE.
#pragma once

#include "console/command_line.h"

#include <fardel/base/result.h>
#include <fardel/store/bundle_store.h>

#include <optional>
#include <string>

namespace fardel {

void add_store_option(CommandLine& line, std::string& store);

// `store`: what --store gave; empty: the variable counts. Errors: missing (neither is given), those of
// BundleStore::open.
Result<BundleStore> open_store(const std::string& store, bool create);
// The same for a verb that may do without: nothing if neither is given.
Result<std::optional<BundleStore>> find_store(const std::string& store);

}  // namespace fardel
