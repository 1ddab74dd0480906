#include <fardel/format/trust_policy.h>

#include "files/small_file.h"
#include "names/unicode.h"
#include "threshold.h"

#include <fardel/base/ascii.h>
#include <fardel/base/text_fields.h>
#include <fardel/format/limits.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <map>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kTitle = "fardel-trust ";
constexpr std::string_view kPolicyVersion = "1";
constexpr std::string_view kPublish = "publish=";
constexpr std::string_view kOverride = "override=";
constexpr std::string_view kClasses = "classes=";

Error bad_policy(std::string message) { return Error(ErrorCode::malformed, std::move(message)); }

bool is_label(std::string_view label) {
    const auto allowed = [](char c) { return is_ascii_letter_or_digit(c) || c == '.' || c == '-' || c == '_'; };
    return !label.empty() && label.size() <= limits::kLabelBytesMax && std::ranges::all_of(label, allowed);
}

// Adds rules one by one, each checked against those before it.
class RuleBuilder {
public:
    Status add(PolicyKey key) {
        if (!is_label(key.label))
            return bad_policy("a label is 1 to " + std::to_string(limits::kLabelBytesMax) +
                              " letters, digits and . - _");
        if (!keys_.emplace(key.label, key.key).second)
            return bad_policy("label " + key.label + " is given twice");
        return ok();
    }

    Status add(AllowRule rule) {
        FARDEL_TRY(verify_glob(rule.pattern));
        if (rule.pattern.find(' ') != std::string::npos)
            return bad_policy("a pattern has no spaces; write ? where the name has one");
        if (rule.roles.empty())
            return bad_policy("a rule needs at least one role");
        FARDEL_TRY(verify_globs(rule.publish));
        FARDEL_TRY(verify_globs(rule.overrides));
        if (rule.brings > ContentClass::code)
            return bad_policy("a class of content that is not known");
        std::vector<RoleKeys> all;
        for (const RoleThreshold& required : rule.roles) {
            if (required.role < SignerRole::author || required.role > SignerRole::release)
                return bad_policy(role_name(required.role) + " is not known");
            if (std::ranges::count(rule.roles, required.role, &RoleThreshold::role) != 1)
                return bad_policy("role " + role_name(required.role) + " is given twice");
            if (required.threshold < 1 || required.threshold > limits::kSignaturesMax)
                return bad_policy("a threshold is from 1 to " + std::to_string(limits::kSignaturesMax));
            FARDEL_TRY_ASSIGN(auto keys, find_keys(required.labels));
            all.push_back({required.threshold, std::move(keys)});
        }
        // As if everybody had signed: a rule that even then is not met is a mistake, and would refuse every bundle.
        if (!thresholds_met(all))
            return bad_policy("no signatures can meet this rule: it wants more distinct keys than it names");
        rules_.allow.push_back(std::move(rule));
        return ok();
    }

    Status add(LicenseRule rule) {
        FARDEL_TRY(verify_glob(rule.pattern));
        if (rule.pattern.find(' ') != std::string::npos)
            return bad_policy("a pattern has no spaces; write ? where the name has one");
        FARDEL_TRY(find_keys(rule.labels));
        rules_.licenses.push_back(std::move(rule));
        return ok();
    }

    Status add(Revocation<PublicKey> revocation) { return add(std::move(revocation), rules_.revoked_keys); }
    Status add(Revocation<BundleId> revocation) { return add(std::move(revocation), rules_.revoked_bundles); }
    void allow_unsigned() { rules_.unsigned_allowed = true; }
    void allow_expired_content() { rules_.expired_content_allowed = true; }
    void allow_unlicensed() { rules_.unlicensed_allowed = true; }

    TrustRules take() {
        for (const auto& [label, key] : keys_)
            rules_.keys.push_back({label, key});
        sort_once(rules_.revoked_keys);
        sort_once(rules_.revoked_bundles);
        return std::move(rules_);
    }

private:
    static Status verify_globs(const std::vector<std::string>& globs) {
        if (globs.size() > limits::kRuleGlobsMax)
            return Error(ErrorCode::limit,
                         "more than " + std::to_string(limits::kRuleGlobsMax) + " patterns of names in one rule");
        for (const std::string& glob : globs) {
            FARDEL_TRY(verify_glob(glob));
            if (glob.find(' ') != std::string::npos)
                return bad_policy("a pattern has no spaces; write ? where the name has one");
        }
        return ok();
    }

    Result<std::vector<PublicKey>> find_keys(std::span<const std::string> labels) const {
        std::vector<PublicKey> keys;
        for (const std::string& label : labels) {
            const auto at = keys_.find(label);
            if (at == keys_.end())
                return bad_policy("no key has the label " + printable(label));
            keys.push_back(at->second);
        }
        std::vector<std::string> sorted(labels.begin(), labels.end());
        std::ranges::sort(sorted);
        // One key serves one role once, so a label that stands twice could only look like a second signer.
        if (std::ranges::adjacent_find(sorted) != sorted.end())
            return bad_policy("a label stands twice in one role");
        return keys;
    }

    template <class Id>
    static Status add(Revocation<Id> revocation, std::vector<Revocation<Id>>& list) {
        if (revocation.reason.size() > limits::kCommentBytesMax)
            return Error(ErrorCode::limit,
                         "the reason is longer than " + std::to_string(limits::kCommentBytesMax) + " bytes");
        if (!unicode::is_plain_text(revocation.reason))
            return bad_policy("the reason is not UTF-8 without control characters");
        list.push_back(std::move(revocation));
        return ok();
    }

    // Sorts by id; of several entries for one id, the first stays.
    template <class Id>
    static void sort_once(std::vector<Revocation<Id>>& list) {
        std::ranges::stable_sort(list, {}, &Revocation<Id>::id);
        const auto same_id = [](const Revocation<Id>& a, const Revocation<Id>& b) { return a.id == b.id; };
        list.erase(std::unique(list.begin(), list.end(), same_id), list.end());
    }

    TrustRules rules_;
    std::map<std::string, PublicKey, std::less<>> keys_;
};

Result<RoleThreshold> parse_role(std::string_view text) {
    const std::string_view role = read_until(text, '=');
    const std::string_view number = read_until(text, ':');
    RoleThreshold required;
    const auto known = find_role(role);
    if (!known)
        return bad_policy("\"" + printable(role, 40) + "\" is not a role; a role is written author=1:label,label");
    required.role = *known;
    const auto threshold = parse_decimal(number, UINT32_MAX);
    if (!threshold || *threshold == 0)
        return bad_policy("role " + role_name(*known) + " has no threshold; a role is written author=1:label,label");
    required.threshold = static_cast<std::uint32_t>(*threshold);
    for (const std::string_view label : split_text(text, ','))
        required.labels.emplace_back(label);
    return required;
}

// Each class is written with those before it, so that nobody believes that byte code without scripts is safer.
Result<AllowRule> parse_allow(std::string_view text) {
    AllowRule rule;
    rule.pattern = read_until(text, ' ');
    bool has_classes = false;
    for (std::string_view word : split_text(text, ' ')) {
        if (word.starts_with(kPublish)) {
            rule.publish.emplace_back(word.substr(kPublish.size()));
        } else if (word.starts_with(kOverride)) {
            rule.overrides.emplace_back(word.substr(kOverride.size()));
        } else if (word.starts_with(kClasses)) {
            if (std::exchange(has_classes, true))
                return bad_policy("classes= stands twice in one rule");
            const auto brings = parse_classes(word.substr(kClasses.size()));
            if (!brings)
                return bad_policy("classes are written classes=data, classes=data,script or classes=data,script,code");
            rule.brings = *brings;
        } else {
            FARDEL_TRY_ASSIGN(auto required, parse_role(word));
            rule.roles.push_back(std::move(required));
        }
    }
    return rule;
}

template <class Id>
Status parse_revocation(std::string_view text, RuleBuilder& builder) {
    Revocation<Id> revocation;
    FARDEL_TRY_ASSIGN(revocation.id, Id::parse(read_until(text, ' ')));
    revocation.reason = text;
    return builder.add(std::move(revocation));
}

Status parse_line(std::string_view line, RuleBuilder& builder) {
    // A policy is read by people, who must see all of it: a control character could hide a rule.
    if (!unicode::is_plain_text(line))
        return bad_policy("not UTF-8 without control characters (a tab and a carriage return are control characters)");
    if (line.empty() || line.starts_with('#'))
        return ok();
    if (line == "unsigned allow") {
        builder.allow_unsigned();
        return ok();
    }
    if (line == "expired-content allow") {
        builder.allow_expired_content();
        return ok();
    }
    if (line == "unlicensed allow" || line == "unlicenced allow") {
        builder.allow_unlicensed();
        return ok();
    }
    std::string_view rest = line;
    const std::string_view directive = read_until(rest, ' ');
    if (directive == "key") {
        PolicyKey key;
        key.label = read_until(rest, ' ');
        FARDEL_TRY_ASSIGN(key.key, PublicKey::parse(rest));
        return builder.add(std::move(key));
    }
    if (directive == "allow") {
        FARDEL_TRY_ASSIGN(AllowRule rule, parse_allow(rest));
        return builder.add(std::move(rule));
    }
    if (directive == "license" || directive == "licence") {
        LicenseRule rule;
        rule.pattern = read_until(rest, ' ');
        for (const std::string_view label : split_text(rest, ','))
            rule.labels.emplace_back(label);
        return builder.add(std::move(rule));
    }
    if (directive == "revoke") {
        const std::string_view kind = read_until(rest, ' ');
        if (kind == "key")
            return parse_revocation<PublicKey>(rest, builder);
        if (kind == "bundle")
            return parse_revocation<BundleId>(rest, builder);
    }
    // A rule of a later version may forbid something, so none is passed over.
    return bad_policy("\"" + printable(line, 40) + "\" is not a rule that is known");
}

template <class Id>
void format_revocations(std::string& text, std::string_view kind, std::span<const Revocation<Id>> list) {
    for (const Revocation<Id>& revocation : list) {
        text += "revoke ";
        text += kind;
        text += " " + revocation.id.hex();
        if (!revocation.reason.empty())
            text += " " + revocation.reason;
        text += "\n";
    }
}

Status verify_policy_size(std::string_view text) {
    const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
    if (text.size() > limits::kTrustPolicyBytesMax || lines > limits::kTrustPolicyLinesMax)
        return Error(ErrorCode::limit, "trust policy of " + std::to_string(text.size()) + " bytes in " +
                                           std::to_string(lines) + " lines, at most " +
                                           std::to_string(limits::kTrustPolicyBytesMax) + " and " +
                                           std::to_string(limits::kTrustPolicyLinesMax) + " allowed");
    return ok();
}

}  // namespace

Result<TrustPolicy> TrustPolicy::parse(std::string_view text) {
    FARDEL_TRY(verify_policy_size(text));
    // A policy that was cut off could lack the line that revokes a key.
    if (!text.ends_with('\n'))
        return bad_policy("trust policy: does not end with a line feed; has it been cut off?");
    RuleBuilder builder;
    const std::string_view title = read_line(text);
    if (!title.starts_with(kTitle))
        return bad_policy("trust policy: line 1: not \"fardel-trust 1\"");
    if (title.substr(kTitle.size()) != kPolicyVersion)
        return Error(ErrorCode::unsupported, "trust policy: line 1: not a version that this library knows");
    for (std::size_t number = 2; !text.empty(); ++number)
        if (auto status = parse_line(read_line(text), builder); !status)
            return std::move(status).error().with_context("trust policy: line " + std::to_string(number));
    return TrustPolicy(builder.take());
}

Result<TrustPolicy> TrustPolicy::make(TrustRules rules) {
    RuleBuilder builder;
    for (PolicyKey& key : rules.keys)
        FARDEL_TRY(builder.add(std::move(key)));
    for (AllowRule& rule : rules.allow)
        FARDEL_TRY(builder.add(std::move(rule)));
    for (LicenseRule& rule : rules.licenses)
        FARDEL_TRY(builder.add(std::move(rule)));
    for (auto& revocation : rules.revoked_keys)
        FARDEL_TRY(builder.add(std::move(revocation)));
    for (auto& revocation : rules.revoked_bundles)
        FARDEL_TRY(builder.add(std::move(revocation)));
    if (rules.unsigned_allowed)
        builder.allow_unsigned();
    if (rules.expired_content_allowed)
        builder.allow_expired_content();
    if (rules.unlicensed_allowed)
        builder.allow_unlicensed();
    TrustPolicy policy(builder.take());
    // A policy that is made here must also be readable as a text.
    FARDEL_TRY(verify_policy_size(policy.format()));
    return policy;
}

TrustPolicy TrustPolicy::requiring(TrustPolicy other) const {
    TrustPolicy both = *this;
    // Fetches, mounts and remote bundles each take one policy; a second parameter would be forgotten in one of them. So
    // a policy can require another, and accepts what both accept.
    both.other_ =
        std::make_shared<const TrustPolicy>(both.other_ ? both.other_->requiring(std::move(other)) : std::move(other));
    return both;
}

TrustPolicy TrustPolicy::for_channel(std::string channel) const {
    TrustPolicy bound = *this;
    bound.channel_ = std::move(channel);
    return bound;
}

std::string TrustPolicy::format() const {
    std::string text(kTitle);
    text += kPolicyVersion;
    text += "\n";
    for (const PolicyKey& key : rules_.keys)
        text += "key " + key.label + " " + key.key.hex() + "\n";
    for (const AllowRule& rule : rules_.allow) {
        text += "allow " + rule.pattern;
        for (const RoleThreshold& required : rule.roles) {
            text += " " + role_name(required.role) + "=" + std::to_string(required.threshold);
            for (std::size_t i = 0; i < required.labels.size(); ++i)
                text += (i == 0 ? ":" : ",") + required.labels[i];
        }
        for (const std::string& glob : rule.publish)
            text += " " + std::string(kPublish) + glob;
        for (const std::string& glob : rule.overrides)
            text += " " + std::string(kOverride) + glob;
        // Not written if it is the default, so that the text of a policy of before stays as it was.
        if (rule.brings != ContentClass::code)
            text += " " + std::string(kClasses) + format_classes(rule.brings);
        text += "\n";
    }
    for (const LicenseRule& rule : rules_.licenses) {
        text += "license " + rule.pattern;
        for (std::size_t i = 0; i < rule.labels.size(); ++i)
            text += (i == 0 ? " " : ",") + rule.labels[i];
        text += "\n";
    }
    format_revocations<PublicKey>(text, "key", rules_.revoked_keys);
    format_revocations<BundleId>(text, "bundle", rules_.revoked_bundles);
    if (rules_.unsigned_allowed)
        text += "unsigned allow\n";
    if (rules_.expired_content_allowed)
        text += "expired-content allow\n";
    if (rules_.unlicensed_allowed)
        text += "unlicensed allow\n";
    return text;
}

Result<TrustPolicy> make_policy(std::span<const PolicyKey> authors, std::span<const PolicyKey> registries,
                                std::string_view pattern) {
    TrustRules rules;
    AllowRule rule;
    rule.pattern = pattern;
    const auto add = [&](SignerRole role, std::span<const PolicyKey> keys) {
        if (keys.empty())
            return;
        RoleThreshold required;
        required.role = role;
        for (const PolicyKey& key : keys) {
            required.labels.push_back(key.label);
            if (std::ranges::find(rules.keys, key) == rules.keys.end())
                rules.keys.push_back(key);
        }
        rule.roles.push_back(std::move(required));
    };
    add(SignerRole::author, authors);
    add(SignerRole::registry, registries);
    rules.allow.push_back(std::move(rule));
    return TrustPolicy::make(std::move(rules));
}

Result<TrustPolicy> read_trust_policy(const std::string& path) {
    FARDEL_TRY_ASSIGN(const std::string text, read_small_file(path, limits::kTrustPolicyBytesMax, FileGuard::none));
    auto policy = TrustPolicy::parse(text);
    if (!policy)
        return std::move(policy).error().with_context(path);
    return policy;
}

}  // namespace fardel
