#include "install/lock_option.h"

#include "bundles/near_names.h"

#include <fardel/format/printable.h>

#include <algorithm>
#include <utility>

namespace fardel {

void add_lock_option(CommandLine& line, std::string& lock) {
    line.text("--lock", "FILE", lock, "The lock file, which says what is installed (default: fardel.lock)");
}

Result<LockFile> open_lock(const std::string& path) {
    FARDEL_TRY_ASSIGN(auto lock, find_lock_file(path));
    if (!lock)
        return Error(ErrorCode::missing, printable(path) +
                                             ": nothing is installed here, as there is no lock file; "
                                             "'fardel install NAME --from URL' makes one, and --lock "
                                             "names another");
    return *std::move(lock);
}

Error suggest_installed(Error error, const std::string& lock, const std::vector<std::string>& names) {
    const auto there = find_lock_file(lock);
    if (error.code() != ErrorCode::missing || !there || !*there)
        return error;
    std::vector<std::string> installed;
    for (const ResolvedBundle& one : (*there)->resolution.bundles)
        installed.push_back(one.name);
    for (const std::string& name : names)
        if (std::ranges::find(installed, name) == installed.end())
            return Error(error.code(), error.message() + suggest_bundle(name, installed));
    return error;
}

std::optional<std::string> find_recall(const ChannelState& state, const BundleId& bundle) {
    const auto found = std::ranges::find(state.recalled_bundles, bundle, &Revocation<BundleId>::id);
    return found == state.recalled_bundles.end() ? std::nullopt : std::optional(found->reason);
}

}  // namespace fardel
