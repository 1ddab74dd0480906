#include "policy_text.h"

#include "console/labelled_keys.h"

#include <fardel/base/file.h>
#include <fardel/base/text_fields.h>
#include <fardel/format/limits.h>
#include <fardel/format/name.h>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kKey = "key ";
constexpr std::string_view kAllow = "allow ";

std::string join(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines)
        text += line + "\n";
    return text;
}

// The first line of the policy that begins with the word.
std::string find_line(const TrustPolicy& policy, std::string_view word) {
    const std::string text = policy.format();
    for (const std::string_view line : split_text(text, '\n'))
        if (line.starts_with(word))
            return std::string(line);
    return {};
}

std::string_view pattern_in(std::string_view allow_line) {
    allow_line.remove_prefix(kAllow.size());
    return read_until(allow_line, ' ');
}

// Removes a label from all rules of a policy. Error: conflict (a rule could not be met without it).
Result<TrustRules> without_label(TrustRules rules, std::string_view label) {
    const auto needs = [&](std::string_view pattern) {
        return Error(ErrorCode::conflict, fmt::format("the rule for {} could not be met without {}: "
                                                      "remove the rule, or add another key to it, first",
                                                      pattern, label));
    };
    std::erase_if(rules.keys, [&](const PolicyKey& key) { return key.label == label; });
    for (AllowRule& rule : rules.allow)
        for (RoleThreshold& wanted : rule.roles)
            if (std::erase(wanted.labels, label) != 0 && wanted.labels.size() < wanted.threshold)
                return needs(rule.pattern);
    for (LicenseRule& rule : rules.licenses)
        if (std::erase(rule.labels, label) != 0 && rule.labels.empty())
            return needs(rule.pattern);
    return rules;
}

}  // namespace

PolicyText::PolicyText() : PolicyText({"fardel-trust 1"}, TrustPolicy::make({}).value()) {}

Result<PolicyText> PolicyText::read(const std::string& path) {
    FARDEL_TRY_ASSIGN(const RegularFile file, open_regular_file(path, path));
    FARDEL_TRY_ASSIGN(const std::string text, read_text(file.descriptor, limits::kTrustPolicyBytesMax, path));
    auto policy = TrustPolicy::parse(text);
    if (!policy)
        return std::move(policy).error().with_context(path);
    std::vector<std::string> lines;
    for (std::string_view rest = text; !rest.empty();)
        lines.emplace_back(read_line(rest));
    return PolicyText(std::move(lines), *std::move(policy));
}

std::string PolicyText::text() const { return join(lines_); }

Status PolicyText::replace(std::vector<std::string> lines) {
    // Every change is read as a policy before it is kept: no file is written that would then be refused.
    FARDEL_TRY_ASSIGN(policy_, TrustPolicy::parse(join(lines)));
    lines_ = std::move(lines);
    return ok();
}

Status PolicyText::append(std::string line) {
    auto lines = lines_;
    lines.push_back(std::move(line));
    return replace(std::move(lines));
}

Status PolicyText::add_key(const PolicyKey& key) {
    if (std::ranges::find(policy_.rules().keys, key) != policy_.rules().keys.end())
        return ok();
    auto lines = lines_;
    const auto is_key = [](const std::string& line) { return line.starts_with(kKey); };
    const auto last = std::find_if(lines.rbegin(), lines.rend(), is_key);
    const auto place = last != lines.rend() ? last.base() : lines.begin() + 1;  // behind the title
    lines.insert(place, fmt::format("{}{} {}", kKey, key.label, key.key.hex()));
    return replace(std::move(lines));
}

Status PolicyText::add_role(AllowRule& rule, SignerRole role, std::uint32_t threshold,
                            const std::vector<std::string>& paths) {
    if (paths.empty())
        return ok();
    auto wanted = std::ranges::find(rule.roles, role, &RoleThreshold::role);
    if (wanted == rule.roles.end())
        wanted = rule.roles.insert(rule.roles.end(), {.role = role, .threshold = threshold});
    wanted->threshold = std::max(wanted->threshold, threshold);
    KeyReader reader(policy_.rules().keys);
    FARDEL_TRY_ASSIGN(const auto keys, reader.read(paths));
    for (const PolicyKey& key : keys) {
        FARDEL_TRY(add_key(key));
        if (std::ranges::find(wanted->labels, key.label) == wanted->labels.end())
            wanted->labels.push_back(key.label);
    }
    return ok();
}

Status PolicyText::add_rule(const AllowRule& rule, bool in_front) {
    FARDEL_TRY_ASSIGN(const TrustPolicy alone, TrustPolicy::make({.keys = policy_.rules().keys, .allow = {rule}}));
    const std::string line = find_line(alone, kAllow);
    auto lines = lines_;
    const auto is_rule = [](const std::string& text) { return text.starts_with(kAllow); };
    const auto is_same = [&](const std::string& text) { return is_rule(text) && pattern_in(text) == rule.pattern; };
    const auto first = std::ranges::find_if(lines, is_rule);
    if (const auto same = std::ranges::find_if(lines, is_same); same != lines.end())
        *same = line;
    else if (first == lines.end())
        lines.push_back(line);
    else
        lines.insert(in_front ? first : std::find_if(lines.rbegin(), lines.rend(), is_rule).base(), line);
    return replace(std::move(lines));
}

Status PolicyText::remove_rules(std::string_view pattern) {
    auto lines = lines_;
    const auto is_about = [&](const std::string& line) {
        return line.starts_with(kAllow) && pattern_in(line) == pattern;
    };
    if (std::erase_if(lines, is_about) == 0)
        return Error(ErrorCode::missing,
                     "no rule has the pattern " + printable(pattern) + "; 'fardel trust show' lists them");
    return replace(std::move(lines));
}

Status PolicyText::remove_key(std::string_view label) {
    if (std::ranges::find(policy_.rules().keys, label, &PolicyKey::label) == policy_.rules().keys.end())
        return Error(ErrorCode::missing,
                     "no key has the label " + printable(label) + "; 'fardel trust show' lists them");
    FARDEL_TRY_ASSIGN(TrustRules rules, without_label(policy_.rules(), label));
    FARDEL_TRY_ASSIGN(const TrustPolicy policy, TrustPolicy::make(std::move(rules)));
    const std::string text = policy.format();
    const std::vector<std::string_view> after = split_text(text, '\n');
    // Rules are in the order of the lines, so each line that names rules is replaced by the next one of its kind.
    std::size_t next_of[2] = {0, 0};
    constexpr std::string_view kWords[] = {kAllow, "license "};
    std::vector<std::string> lines;
    for (const std::string& line : lines_) {
        if (line.starts_with(fmt::format("{}{} ", kKey, label)))
            continue;
        std::string kept = line;
        for (std::size_t kind = 0; kind < 2; ++kind) {
            const bool respelled = kind == 1 && line.starts_with("licence ");
            if (!respelled && !line.starts_with(kWords[kind]))
                continue;
            while (!after[next_of[kind]].starts_with(kWords[kind]))
                ++next_of[kind];
            kept = after[next_of[kind]++];
        }
        lines.push_back(std::move(kept));
    }
    return replace(std::move(lines));
}

}  // namespace fardel
