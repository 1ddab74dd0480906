// The check of a registry's folder: everything that is wrong in it, and its pages written again.
#pragma once

#include <fardel/base/result.h>
#include <fardel/base/unix_time.h>

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

struct RegistryCheckOptions {
    UnixTime now;
    bool reads_bundles = true;  // every byte of each; otherwise heads, metadata and signatures
    std::stop_token stop;
};

struct RegistryProblem {
    std::string path;  // below the folder; safe to show, as the text
    ErrorCode code{};
    std::string text;
};

struct RegistryCheck {
    std::uint64_t bundles = 0;  // that the registry has accepted and that are here
    std::uint64_t released = 0;
    std::uint64_t recalled = 0;
    std::uint64_t set_aside = 0;  // accepted, and in no release
    std::vector<RegistryProblem> problems;
};

// Needs no key, and changes neither bundles nor the channel: writes pages and lists, and compressed tables that are
// missing. Errors: those of Registry::open but for signers; cancelled.
Result<RegistryCheck> check_registry(const std::string& folder, const RegistryCheckOptions& options);

}  // namespace fardel
