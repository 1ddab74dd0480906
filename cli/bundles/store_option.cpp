#include "bundles/store_option.h"

#include <cstdlib>
#include <utility>

namespace fardel {
namespace {

std::string path_of_store(const std::string& store) {
    const char* const variable = std::getenv("FARDEL_STORE");
    return !store.empty() ? store : variable != nullptr ? variable : "";
}

}  // namespace

void add_store_option(CommandLine& line, std::string& store) {
    line.text("--store", "DIR", store, "The folder of the store (default: that of the variable FARDEL_STORE)");
}

Result<BundleStore> open_store(const std::string& store, bool create) {
    const std::string path = path_of_store(store);
    if (path.empty())
        return Error(ErrorCode::missing, "no store is named; give its folder with --store, or in FARDEL_STORE");
    return BundleStore::open(path, create);
}

Result<std::optional<BundleStore>> find_store(const std::string& store) {
    if (path_of_store(store).empty())
        return std::optional<BundleStore>();
    FARDEL_TRY_ASSIGN(BundleStore opened, open_store(store, false));
    return std::optional(std::move(opened));
}

}  // namespace fardel
