// fardel trust add, remove and revoke: change a policy file in place, and keep its owner's comments and order.

#include "bundles/bundle_word.h"
#include "console/classes_option.h"
#include "console/output_file.h"
#include "policy_text.h"
#include "trust_text.h"
#include "trust_verbs.h"

#include <fardel/format/byte_source.h>
#include <fardel/format/key_file.h>
#include <fardel/format/name.h>
#include <fardel/format/printable.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace fardel {
namespace {

// Writes the policy and shows what it says now.
Result<Exit> finish(const std::string& path, const PolicyText& policy, bool json, Console& console) {
    FARDEL_TRY(write_file(path, policy.text()));
    return print_result(
        console, json, [&] { return json_of(policy.policy().rules()); },
        [&] { return fmt::format("changed {}\n{}", printable(path), format_rules(policy.policy().rules())); });
}

// ---- add ------------------------------------------------------------------------------------------------------------

struct AddCommand {
    std::string path;
    RuleOptions rule;
    std::uint64_t threshold = 1;
    bool last = false;
    bool json = false;
};

// The names of a rule behind one that decides about all of them are never asked for.
std::optional<std::string> find_hiding_rule(const TrustRules& rules, const std::string& pattern) {
    for (const AllowRule& rule : rules.allow) {
        if (rule.pattern == pattern)
            return std::nullopt;
        if (rule.pattern == "**")
            return rule.pattern;
    }
    return std::nullopt;
}

Result<Exit> add(const AddCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(PolicyText policy, PolicyText::read(command.path));
    const auto& rules = policy.policy().rules().allow;
    const auto known = std::ranges::find(rules, command.rule.pattern, &AllowRule::pattern);
    AllowRule rule = known != rules.end() ? *known : AllowRule{.pattern = command.rule.pattern};
    const auto threshold = static_cast<std::uint32_t>(command.threshold);
    FARDEL_TRY(policy.add_role(rule, SignerRole::author, threshold, command.rule.authors));
    FARDEL_TRY(policy.add_role(rule, SignerRole::registry, 1, command.rule.registries));
    rule.publish.insert(rule.publish.end(), command.rule.publish.begin(), command.rule.publish.end());
    rule.overrides.insert(rule.overrides.end(), command.rule.overrides.begin(), command.rule.overrides.end());
    FARDEL_TRY(set_classes(rule, command.rule.classes));
    FARDEL_TRY(policy.add_rule(rule, !command.last));
    if (const auto hiding = find_hiding_rule(policy.policy().rules(), command.rule.pattern))
        console.say(
            fmt::format("the rule for {} stands behind the one for {}, "
                        "which decides about the same bundles: leave --last out",
                        printable(command.rule.pattern), printable(*hiding)));
    return finish(command.path, policy, command.json, console);
}

// ---- revoke ---------------------------------------------------------------------------------------------------------

// A label of the policy, 64 digits, or the path of a public key file.
Result<PublicKey> find_key(const TrustPolicy& policy, const std::string& text) {
    const auto& keys = policy.rules().keys;
    if (const auto known = std::ranges::find(keys, text, &PolicyKey::label); known != keys.end())
        return known->key;
    if (const auto key = PublicKey::parse(text))
        return *key;
    const auto file = read_public_key_file(text);
    if (file)
        return file->key;
    if (file.error().code() == ErrorCode::missing)
        return Error(ErrorCode::missing,
                     printable(text) + ": no label of this policy, not a key of 64 digits, and no file");
    return file.error();
}

struct RevokeCommand {
    std::string path;
    std::string key;
    std::string bundle;
    std::string reason;
    bool json = false;
};

Result<Exit> revoke(const RevokeCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(PolicyText policy, PolicyText::read(command.path));
    std::string line = "revoke bundle ";
    if (!command.key.empty()) {
        FARDEL_TRY_ASSIGN(const PublicKey key, find_key(policy.policy(), command.key));
        line = "revoke key " + key.hex();
    } else {
        FARDEL_TRY_ASSIGN(const BundleId bundle, parse_bundle_id(command.bundle));
        line += bundle.hex();
    }
    FARDEL_TRY(policy.append(command.reason.empty() ? line : line + " " + command.reason));
    return finish(command.path, policy, command.json, console);
}

}  // namespace

Option add_rule_options(CommandLine& line, RuleOptions& options) {
    const Option author =
        line.texts("--author", "KEY.pub", options.authors, "The key of a trusted author; may be repeated");
    line.texts("--registry", "KEY.pub", options.registries, "The key of a trusted registry; may be repeated");
    line.text("--pattern", "GLOB", options.pattern,
              "The names of the bundles to which the rule applies (default: all)");
    line.texts("--publish", "GLOB", options.publish,
               "Names that these bundles may publish; may be repeated (default: those below the pattern's folder)");
    line.texts("--override", "GLOB", options.overrides,
               "Names of other bundles that they may override; may be repeated (default: none, if there is a bound)");
    add_classes_option(line, "they", options.classes);
    return author;
}

Status set_classes(AllowRule& rule, const std::string& classes) {
    if (classes.empty())
        return ok();
    FARDEL_TRY_ASSIGN(rule.brings, parse_classes_option(classes));
    return ok();
}

Result<Exit> run_trust_add(Words words, Console& console) {
    CommandLine line(
        "trust add", "POLICY [--author KEY.pub...] [--registry KEY.pub...] [--pattern GLOB] [options]",
        "Adds keys to a rule of a trust policy, or a rule. "
        "A new rule is put in front of the others, because the first that fits a bundle's name decides. Comments stay.",
        "  fardel trust add policy.trust --author modder.key.pub --pattern 'mods/**'\n"
        "  fardel trust add policy.trust --author painter.key.pub --pattern 'skins/**' --classes data\n"
        "  fardel trust add policy.trust --author a.pub --author b.pub --threshold 2 --pattern core\n");
    AddCommand command;
    line.text("POLICY", "POLICY", command.path, "The policy to change").required();
    add_rule_options(line, command.rule);
    line.number("--threshold", command.threshold, 1, 16, "How many of the authors have to sign (default: 1)");
    line.flag("--last", command.last, "Put a new rule behind the others");
    line.json(command.json);
    if (const auto over = line.parse(words, console))
        return *over;
    if (command.rule.authors.empty() && command.rule.registries.empty())
        return line.mistake("name a key: --author KEY.pub, or --registry KEY.pub", console);
    return add(command, console);
}

Result<Exit> run_trust_remove(Words words, Console& console) {
    CommandLine line("trust remove", "POLICY --pattern GLOB | --key LABEL [--json]",
                     "Removes a rule from a trust policy, or a key together with its place in all rules. "
                     "What a removed key has signed is not trusted any more; 'fardel trust revoke' also says why.",
                     "  fardel trust remove policy.trust --pattern 'mods/**'\n"
                     "  fardel trust remove policy.trust --key modder\n");
    std::string path, pattern, key;
    bool json = false;
    line.text("POLICY", "POLICY", path, "The policy to change").required();
    line.text("--pattern", "GLOB", pattern, "Remove the rule with this pattern");
    line.text("--key", "LABEL", key, "Remove the key with this label");
    line.json(json);
    if (const auto over = line.parse(words, console))
        return *over;
    if (pattern.empty() == key.empty())
        return line.mistake("name what to remove: either --pattern or --key", console);
    FARDEL_TRY_ASSIGN(PolicyText policy, PolicyText::read(path));
    FARDEL_TRY(pattern.empty() ? policy.remove_key(key) : policy.remove_rules(pattern));
    return finish(path, policy, json, console);
}

Result<Exit> run_trust_revoke(Words words, Console& console) {
    CommandLine line("trust revoke", "POLICY --key KEY | --bundle ID [--reason TEXT] [--json]",
                     "Withdraws a key or a bundle: signatures of the key no longer count, whenever they were made; "
                     "the bundle is refused, whoever signed it.",
                     "  fardel trust revoke policy.trust --key modder --reason 'stolen laptop, 2026-01-03'\n"
                     "  fardel trust revoke policy.trust "
                     "--bundle 6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d\n");
    RevokeCommand command;
    line.text("POLICY", "POLICY", command.path, "The policy to change").required();
    line.text("--key", "KEY", command.key, "A label of the policy, 64 digits, or a public key file");
    line.text("--bundle", "ID", command.bundle, "The id of a bundle");
    line.text("--reason", "TEXT", command.reason, "Why, for whoever is refused");
    line.json(command.json);
    if (const auto over = line.parse(words, console))
        return *over;
    if (command.key.empty() == command.bundle.empty())
        return line.mistake("name what to revoke: either --key or --bundle", console);
    return revoke(command, console);
}

}  // namespace fardel
