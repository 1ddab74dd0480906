// fardel remove: takes bundles that were installed by name out of a lock file. docs/installing.md is the manual.

#include "bundles/store_option.h"
#include "console/figures.h"
#include "console/json.h"
#include "install/lock_option.h"
#include "verbs.h"

#include <fardel/format/name.h>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace fardel {
namespace {

Result<Exit> remove(const std::string& path, const std::string& store_path, const std::vector<std::string>& names,
                    bool as_json, Console& console) {
    FARDEL_TRY_ASSIGN(const BundleStore store, open_store(store_path, false));
    FARDEL_TRY_ASSIGN(LockFile lock, read_lock_file(path));
    std::vector<ResolvedRequirement> roots = lock.resolution.roots;
    for (const std::string& name : names)
        if (std::erase_if(roots, [&](const ResolvedRequirement& one) { return one.requirement.name == name; }) == 0)
            return Error(ErrorCode::missing,
                         fmt::format("{}: {} was not installed by name; 'fardel list' shows what was", printable(path),
                                     printable(name)));
    std::set<BundleId> gone;
    for (const ResolvedBundle& one : lock.resolution.bundles)
        gone.insert(one.bundle);
    const std::vector<ResolvedBundle> before = lock.resolution.bundles;
    lock.resolution = reduced_to(lock.resolution, roots);
    for (const ResolvedBundle& one : lock.resolution.bundles)
        gone.erase(one.bundle);
    FARDEL_TRY(write_lock_file(path, lock));
    FARDEL_TRY(sync_pins(store, path));
    std::vector<ResolvedBundle> removed;
    std::ranges::copy_if(before, std::back_inserter(removed),
                         [&](const ResolvedBundle& one) { return gone.contains(one.bundle); });
    return print_result(
        console, as_json,
        [&] {
            return Json{
                {"lock", path},
                {"bundles", lock.resolution.bundles.size()},
                {"removed", json_list(removed, [](const ResolvedBundle& one) {
                     return Json{{"bundle", one.bundle.hex()}, {"name", one.name}, {"version", one.version.text()}};
                 })}};
        },
        [&] {
            return format_each(removed,
                               [](const ResolvedBundle& one) {
                                   return fmt::format("  - {}  {} {}\n", short_id(one.bundle), printable(one.name),
                                                      one.version.text());
                               }) +
                   fmt::format("{}: {}; 'fardel store gc' frees the space\n", printable(path),
                               format_count(lock.resolution.bundles.size(), "bundle", "bundles"));
        });
}

}  // namespace

Result<Exit> run_remove(Words words, Console& console) {
    CommandLine line("remove", "NAME... [--lock FILE] [--store DIR] [--json]",
                     "Takes bundles that were installed by name out of the lock file, with everything that only they "
                     "require. The store keeps them until 'fardel store gc'. Needs no network.",
                     "  fardel remove mods/castle\n"
                     "  fardel remove mods/castle mods/forest --lock mods.lock --store ~/.local/share/fardel\n");
    std::vector<std::string> names;
    std::string lock = "fardel.lock";
    std::string store;
    bool json = false;
    line.texts("NAME", "NAME", names, "The names that were given to 'fardel install'")->required();
    add_lock_option(line, lock);
    add_store_option(line, store);
    line.json(json);
    if (const auto over = line.parse(words, console))
        return *over;
    return remove(lock, store, names, json, console);
}

}  // namespace fardel
