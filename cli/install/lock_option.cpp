#include "install/lock_option.h"

#include <algorithm>

namespace fardel {

void add_lock_option(CommandLine& line, std::string& lock) {
    line.text("--lock", "FILE", lock, "The lock file, which says what is installed (default: fardel.lock)");
}

std::optional<std::string> find_recall(const ChannelState& state, const BundleId& bundle) {
    const auto found = std::ranges::find(state.recalled_bundles, bundle, &Revocation<BundleId>::id);
    return found == state.recalled_bundles.end() ? std::nullopt : std::optional(found->reason);
}

}  // namespace fardel
