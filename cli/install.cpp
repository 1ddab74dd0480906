// fardel install: brings bundles by name, with what they require, into a store. docs/installing.md is the manual.

#include "install/installation.h"
#include "install/lock_option.h"
#include "verbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

// Adds the roots; each replaces the one of the same name, which may then get another version.
Result<Installation> plan_roots(const std::string& lock, const std::vector<std::string>& texts) {
    Installation wanted;
    FARDEL_TRY_ASSIGN(wanted.before, find_lock_file(lock));
    std::set<std::string> renewed;
    std::vector<Requirement> added;
    for (const std::string& text : texts) {
        FARDEL_TRY_ASSIGN(Requirement root, Requirement::parse(text));
        if (!renewed.insert(root.name).second)
            return Error(ErrorCode::malformed, "'" + root.name + "' is named twice; write all bounds in one text");
        added.push_back(std::move(root));
    }
    if (wanted.before) {
        for (const ResolvedRequirement& root : wanted.before->resolution.roots)
            if (!renewed.contains(root.requirement.name))
                wanted.roots.push_back(root.requirement);
        for (const ResolvedBundle& one : wanted.before->resolution.bundles)
            if (!renewed.contains(one.name))
                wanted.preferred.insert(one.bundle);
    }
    wanted.roots.insert(wanted.roots.end(), added.begin(), added.end());
    if (wanted.roots.size() > kLockRootsMax)
        return Error(ErrorCode::limit, fmt::format("a lock file has at most {} roots", kLockRootsMax));
    return wanted;
}

}  // namespace

Result<Exit> run_install(Words words, Console& console) {
    CommandLine line(
        "install", "NAME['>= 1.0']... [--lock FILE] [--store DIR] [--channel NAME --from URL [--root ROOT]] [options]",
        "Installs bundles of a channel by their names, with everything that they require: brings them into the store, "
        "and writes which they are into a lock file. What is installed already stays as it is, if it does.",
        "  fardel install mods/castle --channel mods/all --from https://example.org/mods --root mods.root\n"
        "  fardel install 'mods/castle >= 1.2, < 2' mods/forest       # with the channel of the lock file\n"
        "  fardel install mods/castle --plan                          # what it would be, and how much\n"
        "  fardel mount /mnt/game --lock fardel.lock\n");
    InstallOptions options;
    std::vector<std::string> names;
    line.texts("NAME", "NAME", names, "Names of bundles, each with bounds for its version if you like")->required();
    add_install_options(line, options);
    if (const auto over = line.parse(words, console))
        return *over;
    if (const auto mistake = find_mistake(options.servers))
        return line.mistake(*mistake, console);
    FARDEL_TRY_ASSIGN(const Installation wanted, plan_roots(options.lock, names));
    if (!wanted.before && (options.channel.name.empty() || options.from.empty()))
        return line.mistake("there is no lock file yet, so name the channel with --channel and its tree with --from",
                            console);
    return install(options, wanted, console);
}

}  // namespace fardel
