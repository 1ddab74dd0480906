// fardel trust: creates and shows trust policies, small text files that list whose signatures count.

#include "console/json.h"
#include "console/output_file.h"
#include "verbs.h"

#include <fardel/base/ascii.h>
#include <fardel/format/key_file.h>
#include <fardel/format/name.h>
#include <fardel/format/trust_policy.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

namespace fs = std::filesystem;

namespace fardel {
namespace {

// ---- trust show -----------------------------------------------------------------------------------------------------

std::string format_globs(const std::vector<std::string>& globs) {
    return printable(fmt::format("{}", fmt::join(globs, " ")), 2000);
}

std::string format_rules(const TrustRules& rules) {
    std::string text;
    for (const AllowRule& rule : rules.allow) {
        text += fmt::format("bundles named {}\n", printable(rule.pattern));
        for (const RoleThreshold& wanted : rule.roles)
            text += fmt::format("  {}: {} of {}\n", role_name(wanted.role), wanted.threshold,
                                fmt::join(wanted.labels, ", "));
        const auto scope = find_name_scope(rule);
        text += "  may publish: " + (scope ? format_globs(scope->publish) : "everything") + "\n";
        text += "  may override names of other rules: " +
                (scope ? scope->overrides.empty() ? "none" : format_globs(scope->overrides) : "all") + "\n";
    }
    if (rules.allow.empty())
        text += "no bundle is trusted\n";
    for (const LicenseRule& rule : rules.licenses)
        text += fmt::format("licence tokens for bundles named {}: of {}\n", printable(rule.pattern),
                            fmt::join(rule.labels, ", "));
    for (const PolicyKey& key : rules.keys)
        text += fmt::format("key {} {}\n", key.label, key.key.hex());
    for (const auto& revoked : rules.revoked_keys)
        text += fmt::format("revoked key {} {}\n", revoked.id.hex(), printable(revoked.reason));
    for (const auto& revoked : rules.revoked_bundles)
        text += fmt::format("revoked bundle {} {}\n", revoked.id.hex(), printable(revoked.reason));
    if (rules.expired_content_allowed)
        text += "content is accepted after its date\n";
    if (rules.unlicensed_allowed)
        text += "bundles are accepted without the licence token that they require\n";
    if (rules.unsigned_allowed)
        text += "development: bundles without a trusted signature are accepted, but tainted\n";
    return text;
}

template <class Id>
Json json_of(const std::vector<Revocation<Id>>& revoked) {
    return json_list(revoked, [](const auto& one) { return Json{{"id", one.id.hex()}, {"reason", one.reason}}; });
}

Json json_of(const TrustRules& rules) {
    const auto key = [](const PolicyKey& one) { return Json{{"label", one.label}, {"key", one.key.hex()}}; };
    const auto role = [](const RoleThreshold& wanted) {
        return Json{{"role", role_name(wanted.role)}, {"threshold", wanted.threshold}, {"labels", wanted.labels}};
    };
    const auto allow = [&](const AllowRule& rule) {
        Json one{{"pattern", rule.pattern},
                 {"roles", json_list(rule.roles, role)},
                 {"publish", Json::array({"**"})},
                 {"override", Json::array({"**"})}};
        if (const auto scope = find_name_scope(rule)) {
            one["publish"] = scope->publish;
            one["override"] = scope->overrides;
        }
        return one;
    };
    const auto license = [](const LicenseRule& rule) {
        return Json{{"pattern", rule.pattern}, {"labels", rule.labels}};
    };
    return Json{{"licenses", json_list(rules.licenses, license)},
                {"unlicensed_allowed", rules.unlicensed_allowed},
                {"keys", json_list(rules.keys, key)},
                {"allow", json_list(rules.allow, allow)},
                {"revoked_keys", json_of(rules.revoked_keys)},
                {"revoked_bundles", json_of(rules.revoked_bundles)},
                {"unsigned_allowed", rules.unsigned_allowed},
                {"expired_content_allowed", rules.expired_content_allowed}};
}

Result<Exit> run_show(Words words, Console& console) {
    CommandLine line("trust show", "POLICY [--json]", "Checks a trust policy and shows its rules.",
                     "  fardel trust show policy.trust\n");
    std::string path;
    bool json = false;
    line.text("POLICY", "POLICY", path, "The policy file")->required();
    line.json(json);
    if (const auto over = line.parse(words, console))
        return *over;
    FARDEL_TRY_ASSIGN(const TrustPolicy policy, read_trust_policy(path));
    return print_result(
        console, json, [&] { return json_of(policy.rules()); }, [&] { return format_rules(policy.rules()); });
}

// ---- trust init -----------------------------------------------------------------------------------------------------

// "author" for "keys/author.key.pub"; other characters than those of labels are replaced.
std::string label_of(const std::string& path) {
    std::string label = fs::path(path).filename().string();
    for (const std::string_view ending : {".pub", ".key"})
        if (label.ends_with(ending))
            label.resize(label.size() - ending.size());
    const auto allowed = [](char c) { return is_ascii_letter_or_digit(c) || c == '-' || c == '_'; };
    std::ranges::replace_if(label, std::not_fn(allowed), '-');
    return label.empty() ? "key" : label.substr(0, 48);
}

// Reads key files and gives each key one label; two keys never get the same label.
class KeyReader {
public:
    Result<std::vector<PolicyKey>> read(const std::vector<std::string>& paths) {
        std::vector<PolicyKey> keys;
        for (const std::string& path : paths) {
            FARDEL_TRY_ASSIGN(const PublicKeyFile file, read_public_key_file(path));
            const PolicyKey key = labelled(file.key, label_of(path));
            if (std::ranges::find(keys, key) == keys.end())
                keys.push_back(key);
        }
        return keys;
    }

private:
    PolicyKey labelled(const PublicKey& key, const std::string& wanted) {
        if (const auto known = std::ranges::find(all_, key, &PolicyKey::key); known != all_.end())
            return *known;
        std::string label = wanted;
        for (int number = 2; std::ranges::find(all_, label, &PolicyKey::label) != all_.end(); ++number)
            label = fmt::format("{}-{}", wanted, number);
        return all_.emplace_back(PolicyKey{label, key});
    }

    std::vector<PolicyKey> all_;
};

struct TrustInitCommand {
    std::string path;
    std::vector<std::string> authors;
    std::vector<std::string> registries;
    std::string pattern = "**";
    std::vector<std::string> publish;
    std::vector<std::string> overrides;
};

Result<Exit> init(const TrustInitCommand& command, Console& console) {
    KeyReader reader;
    FARDEL_TRY_ASSIGN(const auto authors, reader.read(command.authors));
    FARDEL_TRY_ASSIGN(const auto registries, reader.read(command.registries));
    FARDEL_TRY_ASSIGN(const TrustPolicy unbounded, make_policy(authors, registries, command.pattern));
    TrustRules rules = unbounded.rules();
    rules.allow.front().publish = command.publish;
    rules.allow.front().overrides = command.overrides;
    FARDEL_TRY_ASSIGN(const TrustPolicy policy, TrustPolicy::make(std::move(rules)));
    FARDEL_TRY(verify_new_file(command.path, "; edit it, or choose another name"));
    FARDEL_TRY(write_file(command.path, policy.format()));
    return console.print(fmt::format("wrote {}\n{}", printable(command.path), format_rules(policy.rules())));
}

Result<Exit> run_trust_init(Words words, Console& console) {
    CommandLine line(
        "trust init", "POLICY --author KEY.pub... [--registry KEY.pub...] [--pattern GLOB] [options]",
        "Writes a trust policy: a bundle needs the signature of one of these authors and, if registries are given, "
        "also of one of these registries.",
        "  fardel trust init policy.trust --author author.key.pub\n"
        "  fardel trust init hub.trust --author a.pub --author b.pub --registry hub.pub --pattern 'mods/**'\n");
    TrustInitCommand command;
    line.text("POLICY", "POLICY", command.path, "The file to write")->required();
    line.texts("--author", "KEY.pub", command.authors, "The key of a trusted author; may be repeated")->required();
    line.texts("--registry", "KEY.pub", command.registries, "The key of a trusted registry; may be repeated");
    line.text("--pattern", "GLOB", command.pattern,
              "The names of the bundles to which the rule applies (default: all)");
    line.texts("--publish", "GLOB", command.publish,
               "Names that these bundles may publish; may be repeated (default: those below the pattern's folder)");
    line.texts("--override", "GLOB", command.overrides,
               "Names of other bundles that they may override; may be repeated (default: none, if there is a bound)");
    return line.run(words, console, [&] { return init(command, console); });
}

constexpr SubVerb kTrustVerbs[] = {{"init", run_trust_init}, {"show", run_show}};

constexpr std::string_view kTrustHelp =
    "Creates and shows trust policies: whose signatures count for which bundles.\n\n"
    "Usage: fardel trust init POLICY --author KEY.pub [options]\n"
    "       fardel trust show POLICY [--json]\n\n"
    "Examples:\n"
    "  fardel trust init policy.trust --author author.key.pub\n"
    "  fardel trust show policy.trust\n\n"
    "'fardel trust init --help' explains one sub-verb. More: man fardel-trust\n";

}  // namespace

Result<Exit> run_trust(Words words, Console& console) {
    return run_sub_verb("trust", kTrustVerbs, kTrustHelp, words, console);
}

}  // namespace fardel
