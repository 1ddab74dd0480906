#include "bundles/store_option.h"

#include <fardel/base/file.h>
#include <fardel/base/invocation.h>
#include <fardel/base/path_text.h>
#include <fardel/base/user_folder.h>
#include <fardel/format/printable.h>

#include <fmt/format.h>

#include <sstream>
#include <utility>

namespace fardel {
namespace {

std::string named_store(const std::string& store) { return !store.empty() ? store : variable("FARDEL_STORE"); }

std::string user_store() {
    const auto folder = find_user_folder(UserFolder::data);
    return folder ? *folder + "/fardel" : "";
}

}  // namespace

std::string index_folder_of(std::string_view subject) {
    const auto cache = find_user_folder(UserFolder::cache);
    return cache ? *cache + "/fardel/" + std::string(subject) : "";
}

void add_store_option(CommandLine& line, std::string& store) {
    line.text("--store", "DIR", store, fmt::format("The folder of the store {}", kStoreDefault));
}

void add_shared_option(CommandLine& line, std::string_view what, bool& shares) {
    line.flag(
        "--shared", shares,
        "Let the group of the folder of the " + std::string(what) + " write to it, now and to what is added later");
}

Result<BundleStore> open_store(const std::string& store, bool create) {
    if (const std::string named = named_store(store); !named.empty())
        return BundleStore::open(named, create);
    const std::string path = user_store();
    if (path.empty())
        return Error(ErrorCode::missing,
                     "no store is named, and the user has no home folder; give its folder with --store, or in "
                     "FARDEL_STORE");
    if (!create && !file_exists(path))
        return Error(ErrorCode::missing, printable(path) +
                                             ": there is no store yet; --store names another one, and "
                                             "'fardel install', 'fetch' and 'store add' make one");
    return BundleStore::open(path, create);
}

Result<std::optional<BundleStore>> find_store(const std::string& store) {
    if (named_store(store).empty() && !file_exists(user_store()))
        return std::optional<BundleStore>();
    FARDEL_TRY_ASSIGN(BundleStore opened, open_store(store, false));
    return std::optional(std::move(opened));
}

void add_library_option(CommandLine& line, std::vector<std::string>& folders) {
    line.texts("--library", "FOLDER", folders,
               "A folder of .fardel files, which are found by their ids; may be repeated (default: "
               "the folders of the variable FARDEL_LIBRARY, separated by ':', on Windows by ';')");
}

Result<std::shared_ptr<const BundleLibrary>> find_library(std::vector<std::string> folders) {
    if (folders.empty()) {
        std::istringstream listed(variable("FARDEL_LIBRARY"));
        for (std::string folder; std::getline(listed, folder, kFolderListSeparator);)
            if (!folder.empty())
                folders.push_back(folder);
    }
    if (folders.empty())
        return std::shared_ptr<const BundleLibrary>();
    FARDEL_TRY_ASSIGN(BundleLibrary library, BundleLibrary::open(folders, index_folder_of("libraries")));
    return std::make_shared<const BundleLibrary>(std::move(library));
}

}  // namespace fardel
