#include "bundles/store_option.h"

#include "console/environment.h"

#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

namespace fardel {
namespace {

std::string path_of_store(const std::string& store) { return !store.empty() ? store : variable("FARDEL_STORE"); }

}  // namespace

std::string index_folder_of(std::string_view subject) {
    std::string cache = variable("XDG_CACHE_HOME");
    std::error_code unknown;
    if (const std::string home = variable("HOME"); !cache.starts_with('/'))
        cache = home.starts_with('/') && std::filesystem::is_directory(home, unknown) ? home + "/.cache" : "";
    return cache.empty() ? "" : cache + "/fardel/" + std::string(subject);
}

void add_store_option(CommandLine& line, std::string& store) {
    line.text("--store", "DIR", store, "The folder of the store (default: that of the variable FARDEL_STORE)");
}

void add_shared_option(CommandLine& line, std::string_view what, bool& shares) {
    line.flag(
        "--shared", shares,
        "Let the group of the folder of the " + std::string(what) + " write to it, now and to what is added later");
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

void add_library_option(CommandLine& line, std::vector<std::string>& folders) {
    line.texts("--library", "FOLDER", folders,
               "A folder of .fardel files, which are found by their ids; may be repeated (default: "
               "the folders of the variable FARDEL_LIBRARY, separated by ':')");
}

Result<std::shared_ptr<const BundleLibrary>> find_library(std::vector<std::string> folders) {
    if (folders.empty()) {
        std::istringstream listed(variable("FARDEL_LIBRARY"));
        for (std::string folder; std::getline(listed, folder, ':');)
            if (!folder.empty())
                folders.push_back(folder);
    }
    if (folders.empty())
        return std::shared_ptr<const BundleLibrary>();
    FARDEL_TRY_ASSIGN(BundleLibrary library, BundleLibrary::open(folders, index_folder_of("libraries")));
    return std::make_shared<const BundleLibrary>(std::move(library));
}

}  // namespace fardel
