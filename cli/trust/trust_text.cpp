#include "trust_text.h"

#include "console/figures.h"

#include <fardel/base/text_fields.h>
#include <fardel/format/name.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fardel {
namespace {

std::string format_globs(const std::vector<std::string>& globs) {
    return printable(fmt::format("{}", fmt::join(globs, " ")), 2000);
}

}  // namespace

std::string format_rules(const TrustRules& rules) {
    std::string text;
    for (const AllowRule& rule : rules.allow) {
        text += fmt::format("bundles named {}\n", printable(rule.pattern));
        for (const RoleThreshold& wanted : rule.roles)
            text += fmt::format("  {}: {} of {}\n", role_name(wanted.role), wanted.threshold,
                                fmt::join(wanted.labels, ", "));
        const auto scope = find_name_scope(rule);
        text += "  may publish: " + (scope ? format_globs(scope->publish) : "everything") + "\n";
        text += "  may bring: " + format_classes(rule.brings) + "\n";
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

namespace {

template <class Id>
Json json_of(const std::vector<Revocation<Id>>& revoked) {
    return json_list(revoked, [](const auto& one) { return Json{{"id", one.id.hex()}, {"reason", one.reason}}; });
}

}  // namespace

Json json_of(const TrustRules& rules) {
    const auto key = [](const PolicyKey& one) { return Json{{"label", one.label}, {"key", one.key.hex()}}; };
    const auto role = [](const RoleThreshold& wanted) {
        return Json{{"role", role_name(wanted.role)}, {"threshold", wanted.threshold}, {"labels", wanted.labels}};
    };
    const auto allow = [&](const AllowRule& rule) {
        const std::string classes = format_classes(rule.brings);
        Json one{{"pattern", rule.pattern},
                 {"roles", json_list(rule.roles, role)},
                 {"publish", Json::array({"**"})},
                 {"override", Json::array({"**"})},
                 {"classes", split_text(classes, ',')}};
        if (const auto scope = find_name_scope(rule)) {
            one.set("publish", scope->publish);
            one.set("override", scope->overrides);
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

}  // namespace fardel
