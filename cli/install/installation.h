// What `fardel install` and `fardel update` have in common: options, consent, progress, and the report.
#pragma once

#include "bundles/fetch_consent.h"
#include "bundles/server_option.h"
#include "channel/followed_channel.h"
#include "console/command_line.h"
#include "console/console.h"
#include "console/exit.h"
#include "console/json.h"

#include <fardel/base/result.h>
#include <fardel/delivery/install.h>

#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct InstallCommand {
    std::vector<std::string> names;
    std::string lock = "fardel.lock";
    std::string store;
    ChannelChoice channel;    // empty: that of the lock file
    std::string from;         // empty: the sources of the lock file, which a stranger may have written
    std::string fingerprint;  // of the channel's first root; empty: not known
    std::vector<std::string> mirrors;
    std::vector<std::string> authors;  // NAME=KEY
    std::string policy;
    ServerChoice servers;
    ConsentOptions consent;
};
void add_install_options(CommandLine& line, InstallCommand& command);

std::string format_bundles(std::string_view sign, const std::vector<InstalledBundle>& bundles);
Json json_of(const std::vector<InstalledBundle>& bundles);

// Until the lock file is replaced, what was installed stays as it was. Exit::refusal: conflicts were reported. Errors:
// those of the steps.
Result<Exit> install(const InstallCommand& command, InstallChange change, Console& console);

}  // namespace fardel
