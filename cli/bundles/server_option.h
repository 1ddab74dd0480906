// Which servers a verb connects to: --public-only and --allow-host.
#pragma once

#include "console/command_line.h"

#include <fardel/http/server_rule.h>

#include <optional>
#include <string>

namespace fardel {

struct ServerChoice {
    bool public_only = false;
    std::vector<std::string> allowed_hosts;

    ServerRule rule() const;
};

void add_server_options(CommandLine& line, ServerChoice& servers);
// Returns what is wrong with the options together.
std::optional<std::string> find_mistake(const ServerChoice& servers);

}  // namespace fardel
