// What `fardel install` and `fardel update` do: follow the channel, resolve, fetch, verify, and write the lock file
// last.
#pragma once

#include "bundles/server_option.h"
#include "channel/followed_channel.h"
#include "console/command_line.h"
#include "console/console.h"
#include "console/exit.h"

#include <fardel/base/result.h>
#include <fardel/delivery/lock_file.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fardel {

struct InstallOptions {
    std::string lock = "fardel.lock";
    std::string store;
    ChannelChoice channel;  // empty: that of the lock file
    std::string from;       // empty: the sources of the lock file
    std::vector<std::string> mirrors;
    std::string policy;
    ServerChoice servers;
    std::uint64_t bytes_max = 0;  // 0: no limit
    bool plan_only = false;
    bool json = false;
};
void add_install_options(CommandLine& line, InstallOptions& options);

struct Installation {
    std::optional<LockFile> before;
    std::vector<Requirement> roots;  // all that are wanted, old and new ones
    std::set<BundleId> preferred;    // stay if they do
};

// Until the lock file is replaced, what was installed stays as it was. Exit::refusal: conflicts were reported, or the
// channel could not be followed. Errors: those of the steps.
Result<Exit> install(const InstallOptions& options, const Installation& wanted, Console& console);

}  // namespace fardel
