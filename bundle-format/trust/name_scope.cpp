// NameScope: which names the bundles of a policy's rule may publish. docs/trust-policy.md, "What a rule lets publish".

#include <fardel/format/name.h>
#include <fardel/format/trust_policy.h>

#include <algorithm>

namespace fardel {
namespace {

// The folder that the pattern begins with, "mods/x" for "mods/x/*"; empty if its first part may match several names or
// is the last.
std::string_view folder_of(std::string_view pattern) {
    std::size_t end = 0;
    for (std::size_t slash; (slash = pattern.find('/', end == 0 ? 0 : end + 1)) != std::string_view::npos; end = slash)
        if (pattern.substr(0, slash).find('*') != std::string_view::npos)
            break;
    return pattern.substr(0, end);
}

bool matches_any(std::span<const std::string> globs, std::string_view name) {
    return std::ranges::any_of(globs, [name](const std::string& glob) { return glob_matches(glob, name); });
}

}  // namespace

std::optional<NameScope> find_name_scope(const AllowRule& rule) {
    const std::string_view folder = folder_of(rule.pattern);
    if (folder.empty() && rule.publish.empty() && rule.overrides.empty())
        return std::nullopt;
    NameScope scope{.rule = rule, .publish = rule.publish, .overrides = rule.overrides};
    if (scope.publish.empty())
        scope.publish = {folder.empty() ? "**" : std::string(folder) + "/**"};
    return scope;
}

bool NameScope::may_publish(std::string_view name) const { return matches_any(publish, name); }
bool NameScope::may_override(std::string_view name) const { return matches_any(overrides, name); }

std::string NameScope::describe() const {
    std::string text = "the rule " + printable(rule.pattern) + " lets it publish";
    for (const std::string& glob : publish)
        text += " " + printable(glob);
    return text;
}

}  // namespace fardel
