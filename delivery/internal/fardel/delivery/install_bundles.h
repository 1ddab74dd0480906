// install_bundles: what an Install does, on the caller's thread.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/install.h>
#include <fardel/store/bundle_store.h>

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

struct InstallSteps {
    std::function<void(const ChannelOutcome&)> followed;  // the channel has been asked
    std::function<void(const std::vector<std::string>&)> conflicts;
    // Asks about names that others have than before, and that the work does not accept; an error ends the work. Empty:
    // they are refused.
    std::function<Status(const std::vector<AuthorChange>&)> author_consent;
    std::function<Status(const InstallPlan&)> consent;  // an error ends the work
    std::function<void(const FetchProgress&)> progress;
    std::stop_token stop;
    std::uint64_t received_bytes_max = 0;  // FetchOptions::received_bytes_max
};

// Errors: those of Install::outcome, and of `consent`.
Result<InstallSummary> install_bundles(const BundleStore& store, const InstallWork& work, const InstallSteps& steps);

}  // namespace fardel
