// fardel trust: creates, shows, changes and asks trust policies, small text files that list whose signatures count.

#include "console/json.h"
#include "console/output_file.h"
#include "trust/policy_text.h"
#include "trust/trust_text.h"
#include "trust/trust_verbs.h"
#include "verbs.h"

#include <fardel/format/name.h>
#include <fardel/format/trust_policy.h>

#include <fmt/format.h>

namespace fardel {
namespace {

// ---- trust show -----------------------------------------------------------------------------------------------------

Result<Exit> run_show(Words words, Console& console) {
    CommandLine line("trust show", "POLICY [--json]", "Checks a trust policy and shows its rules.",
                     "  fardel trust show policy.trust\n");
    std::string path;
    bool json = false;
    line.text("POLICY", "POLICY", path, "The policy file").required();
    line.json(json);
    if (const auto over = line.parse(words, console))
        return *over;
    FARDEL_TRY_ASSIGN(const TrustPolicy policy, read_trust_policy(path));
    return print_result(
        console, json, [&] { return json_of(policy.rules()); }, [&] { return format_rules(policy.rules()); });
}

// ---- trust init -----------------------------------------------------------------------------------------------------

Result<Exit> init(const std::string& path, const RuleOptions& command, Console& console) {
    PolicyText policy;
    AllowRule rule{.pattern = command.pattern, .publish = command.publish, .overrides = command.overrides};
    FARDEL_TRY(policy.add_role(rule, SignerRole::author, 1, command.authors));
    FARDEL_TRY(policy.add_role(rule, SignerRole::registry, 1, command.registries));
    FARDEL_TRY(set_classes(rule, command.classes));
    FARDEL_TRY(policy.add_rule(rule, true));
    FARDEL_TRY(verify_new_file(path, "; edit it, or choose another name"));
    FARDEL_TRY(write_file(path, policy.text()));
    return console.print(fmt::format("wrote {}\n{}", printable(path), format_rules(policy.policy().rules())));
}

Result<Exit> run_trust_init(Words words, Console& console) {
    CommandLine line(
        "trust init", "POLICY --author KEY.pub... [--registry KEY.pub...] [--pattern GLOB] [options]",
        "Writes a trust policy: a bundle needs the signature of one of these authors and, if registries are given, "
        "also of one of these registries.",
        "  fardel trust init policy.trust --author author.key.pub\n"
        "  fardel trust init hub.trust --author a.pub --author b.pub --registry hub.pub --pattern 'mods/**'\n");
    std::string path;
    RuleOptions rule;
    line.text("POLICY", "POLICY", path, "The file to write").required();
    add_rule_options(line, rule).required();
    return line.run(words, console, [&] { return init(path, rule, console); });
}

constexpr SubVerb kTrustVerbs[] = {{"init", run_trust_init},     {"add", run_trust_add}, {"remove", run_trust_remove},
                                   {"revoke", run_trust_revoke}, {"show", run_show},     {"test", run_trust_test}};

constexpr std::string_view kTrustHelp =
    "Trust policies: whose signatures count for which bundles, and what is revoked.\n\n"
    "Usage: fardel trust init POLICY --author KEY.pub [options]     writes a first one\n"
    "       fardel trust add POLICY --author KEY.pub [options]      adds a rule, or keys to a rule\n"
    "       fardel trust remove POLICY --pattern GLOB | --key LABEL\n"
    "       fardel trust revoke POLICY --key KEY | --bundle ID [--reason TEXT]\n"
    "       fardel trust show POLICY [--json]\n"
    "       fardel trust test POLICY FILE... [--json]               would these bundles be accepted?\n\n"
    "Examples:\n"
    "  fardel trust init policy.trust --author author.key.pub\n"
    "  fardel trust add policy.trust --author modder.key.pub --pattern 'mods/**'\n"
    "  fardel trust revoke policy.trust --key modder --reason 'stolen laptop'\n"
    "  fardel trust test policy.trust castle.fardel\n\n"
    "'fardel trust init --help' explains one sub-verb. More: man fardel-trust\n";

}  // namespace

Result<Exit> run_trust(Words words, Console& console) {
    return run_sub_verb("trust", kTrustVerbs, kTrustHelp, words, console);
}

}  // namespace fardel
