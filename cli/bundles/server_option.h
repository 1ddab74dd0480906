// Which servers a verb connects to: --public-only and --allow-host.
#pragma once

#include "console/command_line.h"

#include <fardel/http/server_list.h>

#include <optional>
#include <string>
#include <vector>

namespace fardel {

struct ServerChoice {
    bool public_only = false;
    std::vector<std::string> allowed_hosts;

    // URLs that the user has named, or of a text that the user looked at.
    ServerList list(std::vector<std::string> urls) const;
};

void add_server_options(CommandLine& line, ServerChoice& servers);
// Returns what is wrong with the options together. `has_foreign`: a text names servers, for which --public-only holds.
std::optional<std::string> find_mistake(const ServerChoice& servers, bool has_foreign = false);

}  // namespace fardel
