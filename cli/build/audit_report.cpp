#include "audit_report.h"

#include "console/cut_list.h"
#include "console/figures.h"
#include "resolve_report.h"

#include <fardel/format/name.h>

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace fardel {
namespace {

constexpr std::size_t kListedMax = 20;

std::string format_unused(const UnusedAsset& unused) {
    return fmt::format("{} ({})", printable(unused.name), format_size(unused.size_bytes));
}

std::string format_broken(const BrokenAsset& broken) {
    return fmt::format("{}: {}", printable(broken.name), printable(broken.reason));
}

std::string format_root(const RootClosure& root) {
    const std::string missing =
        root.missing.empty() ? "" : fmt::format(", {} missing", format_count(root.missing.size()));
    return fmt::format("{}: {}, {}{}", printable(root.root), format_count(root.names.size(), "name", "names"),
                       format_size(root.size_bytes), missing);
}

}  // namespace

std::string format_report(const ReferenceAudit& audit, const Console& console) {
    std::uint64_t unused_bytes = 0;
    for (const UnusedAsset& unused : audit.unused)
        unused_bytes += unused.size_bytes;
    std::string text = format_cut_list("roots", audit.roots, kListedMax, format_root);
    text += format_cut_list(
        console.paint(Colour::yellow, "patterns that match nothing"), audit.idle_patterns, kListedMax,
        +[](const std::string& glob) { return printable(glob); });
    text += format_cut_list(console.paint(Colour::yellow, "broken, so not looked into"), audit.broken, kListedMax,
                            format_broken);
    text += format_cut_list("unused", audit.unused, kListedMax, format_unused);
    text += format_cut_list(console.paint(Colour::red, "missing"), audit.missing, kListedMax, describe);
    text += fmt::format("{}, {} resolved, {} missing; {} unused ({}); {} used by code alone; {} broken\n",
                        format_count(audit.references, "reference", "references"), format_count(audit.resolved),
                        format_count(audit.missing.size()), format_count(audit.unused.size(), "name", "names"),
                        format_size(unused_bytes), format_count(audit.by_code), format_count(audit.broken.size()));
    return text;
}

Json json_of(const ReferenceAudit& audit, const BundlePlan& plan) {
    Json json{{"complete", audit.missing.empty()},
              {"references", audit.references},
              {"resolved", audit.resolved},
              {"by_code", audit.by_code},
              {"missing", Json::array()},
              {"unused", Json::array()},
              {"broken", Json::array()},
              {"idle_patterns", audit.idle_patterns},
              {"roots", Json::array()}};
    for (const MissingReference& missing : audit.missing)
        json["missing"].push_back(json_of(missing));
    for (const UnusedAsset& unused : audit.unused)
        json["unused"].push_back(Json{{"name", unused.name}, {"size", unused.size_bytes}});
    for (const BrokenAsset& broken : audit.broken)
        json["broken"].push_back(Json{{"name", broken.name}, {"reason", broken.reason}});
    for (const RootClosure& root : audit.roots) {
        Json closure{
            {"root", root.root}, {"size", root.size_bytes}, {"names", Json::array()}, {"missing", Json::array()}};
        for (const std::uint32_t name : root.names)
            closure["names"].push_back(plan.names[name].name.text());
        std::ranges::sort(closure["names"].get_ref<Json::array_t&>());
        for (const std::uint32_t missing : root.missing)
            closure["missing"].push_back(json_of(audit.missing[missing]));
        json["roots"].push_back(std::move(closure));
    }
    return json;
}

}  // namespace fardel
