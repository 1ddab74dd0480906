// fardel remove: takes bundles that were installed by name out of a lock file. docs/installing.md is the manual.

#include "bundles/store_option.h"
#include "console/figures.h"
#include "console/json.h"
#include "install/installation.h"
#include "install/lock_option.h"
#include "verbs.h"

#include <fardel/delivery/install.h>
#include <fardel/delivery/lock_file.h>
#include <fardel/format/name.h>

#include <fmt/format.h>

#include <cstddef>
#include <utility>

namespace fardel {
namespace {

Result<Exit> remove(const std::string& path, const std::string& store_path, const std::vector<std::string>& names,
                    bool as_json, Console& console) {
    FARDEL_TRY(open_lock(path));  // said first: without it, there may be no store, either
    FARDEL_TRY_ASSIGN(const BundleStore store, open_store(store_path, false));
    auto removed_or = remove_installed(store, path, names);
    if (!removed_or && removed_or.error().code() == ErrorCode::missing)
        return suggest_installed(std::move(removed_or).error(), path, names);
    FARDEL_TRY_ASSIGN(const auto removed, std::move(removed_or));
    FARDEL_TRY_ASSIGN(const LockFile left, read_lock_file(path));
    const std::size_t bundles = left.resolution.bundles.size();
    return print_result(
        console, as_json,
        [&] {
            return Json{{"lock", path}, {"bundles", bundles}, {"removed", json_of(removed)}};
        },
        [&] {
            return format_bundles("-", removed) +
                   fmt::format("{}: {}{}\n", printable(path), format_count(bundles, "bundle", "bundles"),
                               removed.empty() ? ""
                                               : "; 'fardel store gc' frees the space from tomorrow on, 'fardel store "
                                                 "gc --grace 0' at once");
        });
}

}  // namespace

Result<Exit> run_remove(Words words, Console& console) {
    CommandLine line(
        "remove", "NAME... [--lock FILE] [--store DIR] [--json]",
        "Takes bundles that were installed by name out of the lock file, with everything "
        "that only they require. 'fardel store gc' frees their space from the next day on, or at once with "
        "--grace 0, unless something else in the store needs them. Needs no network.",
        "  fardel remove mods/castle\n"
        "  fardel remove mods/castle mods/forest --lock mods.lock --store ~/.local/share/fardel\n");
    std::vector<std::string> names;
    std::string lock = "fardel.lock";
    std::string store;
    bool json = false;
    line.texts("NAME", "NAME", names, "The names that were given to 'fardel install'").required();
    add_lock_option(line, lock);
    add_store_option(line, store);
    line.json(json);
    if (const auto over = line.parse(words, console))
        return *over;
    return remove(lock, store, names, json, console);
}

}  // namespace fardel
