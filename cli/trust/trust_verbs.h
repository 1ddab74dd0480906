// The sub-verbs of `fardel trust` that change or ask a policy, and the options of those that write a rule.
#pragma once

#include "console/command_line.h"
#include "console/console.h"
#include "console/exit.h"

#include <fardel/base/result.h>
#include <fardel/format/trust_policy.h>

#include <string>
#include <vector>

namespace fardel {

// A rule that a verb writes: whose bundles, under which names, and what they may publish.
struct RuleOptions {
    std::vector<std::string> authors;     // public key files
    std::vector<std::string> registries;  // the same
    std::string pattern = "**";
    std::vector<std::string> publish;
    std::vector<std::string> overrides;
    std::string classes;  // "data", "data,script" or "data,script,code"; empty: as the rule says already
};
// Adds --author, --registry, --pattern, --publish, --override and --classes; returns --author.
Option add_rule_options(CommandLine& line, RuleOptions& options);

// Sets what the rule's bundles may bring, if the option is given. Error: malformed.
Status set_classes(AllowRule& rule, const std::string& classes);

Result<Exit> run_trust_add(Words words, Console& console);
Result<Exit> run_trust_remove(Words words, Console& console);
Result<Exit> run_trust_revoke(Words words, Console& console);
Result<Exit> run_trust_test(Words words, Console& console);

}  // namespace fardel
