// The store and the libraries that a verb uses: --store and --library, or the variables FARDEL_STORE and
// FARDEL_LIBRARY; without both, the user's own store.
#pragma once

#include "console/command_line.h"

#include <fardel/base/result.h>
#include <fardel/store/bundle_store.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// The user's folder for indexes of `subject`, "libraries" or "folders", below XDG_CACHE_HOME or ~/.cache: its files may
// be deleted at any time. Empty if the user has none.
std::string index_folder_of(std::string_view subject);

inline constexpr std::string_view kStoreDefault =
    "(default: that of the variable FARDEL_STORE, or else ~/.local/share/fardel)";

void add_store_option(CommandLine& line, std::string& store);
// --shared: the folder becomes one of its group (share_with_group). `what`: "store".
void add_shared_option(CommandLine& line, std::string_view what, bool& shares);

// `store`: what --store gave; empty: the variable counts, and without it the folder fardel below XDG_DATA_HOME or
// ~/.local/share. Errors: missing (the user has none of them; it is not there, and is not to be created), those of
// BundleStore::open.
Result<BundleStore> open_store(const std::string& store, bool create);
// The same for a verb that may do without: nothing if none is named, and the user's own is not there.
Result<std::optional<BundleStore>> find_store(const std::string& store);

void add_library_option(CommandLine& line, std::vector<std::string>& folders);

// `folders`: what --library gave; empty: the variable counts, whose folders are separated by ':'. nullptr if neither is
// given. What was found out about the files is kept below XDG_CACHE_HOME, or ~/.cache. Errors: those of
// BundleLibrary::open.
Result<std::shared_ptr<const BundleLibrary>> find_library(std::vector<std::string> folders);

}  // namespace fardel
