// fardel update: brings what is installed to the newest versions that do. docs/installing.md is the manual.

#include "install/installation.h"
#include "install/lock_option.h"
#include "verbs.h"

#include <fardel/format/name.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

// Without names, everything may change; otherwise only bundles with these names, and what has to change with them.
Result<Installation> plan_update(const std::string& path, const std::vector<std::string>& names) {
    FARDEL_TRY_ASSIGN(LockFile lock, read_lock_file(path));
    Installation wanted;
    for (const ResolvedRequirement& root : lock.resolution.roots)
        wanted.roots.push_back(root.requirement);
    for (const std::string& name : names)
        if (std::ranges::find(lock.resolution.bundles, name, &ResolvedBundle::name) == lock.resolution.bundles.end())
            return Error(ErrorCode::missing, printable(path) + ": no bundle named " + printable(name) +
                                                 " is installed; 'fardel list' shows what is");
    for (const ResolvedBundle& one : lock.resolution.bundles)
        if (!names.empty() && std::ranges::find(names, one.name) == names.end())
            wanted.preferred.insert(one.bundle);
    wanted.before = std::move(lock);
    return wanted;
}

}  // namespace

Result<Exit> run_update(Words words, Console& console) {
    CommandLine line(
        "update", "[NAME...] [--lock FILE] [--store DIR] [--from URL] [options]",
        "Asks the channel for its newest release, and installs the newest versions that do. If that fails, "
        "everything stays as it was.",
        "  fardel update\n"
        "  fardel update studio/base --lock mods.lock      # the others stay if they can\n"
        "  fardel update --plan                            # what it would be, and how much\n");
    InstallOptions options;
    std::vector<std::string> names;
    line.texts("NAME", "NAME", names, "Bundles that may change (default: all)");
    add_install_options(line, options);
    if (const auto over = line.parse(words, console))
        return *over;
    if (const auto mistake = find_mistake(options.servers))
        return line.mistake(*mistake, console);
    FARDEL_TRY_ASSIGN(const Installation wanted, plan_update(options.lock, names));
    return install(options, wanted, console);
}

}  // namespace fardel
