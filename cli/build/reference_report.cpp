#include "reference_report.h"

#include "console/figures.h"

#include <fardel/format/name.h>

namespace fardel {
namespace {

constexpr std::size_t kListedMax = 20;  // by `fardel audit`
constexpr std::size_t kShownMax = 5;    // of each list, by `fardel build` and `fardel pack`

std::string format_glob(const std::string& glob) { return printable(glob); }

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

std::string format_soft(const MissingReference& missing) {
    return fmt::format("{} ({})", describe(missing), missing.why_soft);
}

Json json_of_missing(const MissingReference& missing) {
    Json json{{"hard", missing.why_soft.empty()},
              {"from", missing.from},
              {"line", missing.reference.line},
              {"spelling", missing.reference.spelling},
              {"use", reference_use_name(missing.reference.use)},
              {"tried", missing.tried}};
    if (!missing.why_soft.empty())
        json.set("why", missing.why_soft);
    return json;
}

// The hard ones first.
Json json_of_all_missing(const std::vector<MissingReference>& hard, const std::vector<MissingReference>& soft) {
    Json json = json_list(hard, json_of_missing);
    for (const MissingReference& missing : soft)
        json.push_back(json_of_missing(missing));
    return json;
}

Json json_of_broken(const BrokenAsset& broken) { return Json{{"name", broken.name}, {"reason", broken.reason}}; }

}  // namespace

std::string format_report(const ReferenceAudit& audit, const Console& console) {
    std::uint64_t unused_bytes = 0;
    for (const UnusedAsset& unused : audit.unused)
        unused_bytes += unused.size_bytes;
    std::string text = format_cut_list("roots", audit.roots, kListedMax, format_root);
    text += format_cut_list(console.paint(Colour::yellow, "patterns that match nothing"), audit.idle_patterns,
                            kListedMax, format_glob);
    text += format_cut_list(console.paint(Colour::yellow, "broken, so not looked into"), audit.broken, kListedMax,
                            format_broken);
    text += format_cut_list("unused", audit.unused, kListedMax, format_unused);
    text += format_cut_list(console.paint(Colour::yellow, "missing, soft"), audit.soft, kListedMax, format_soft);
    text += format_cut_list(console.paint(Colour::red, "missing, hard"), audit.missing, kListedMax, describe);
    text +=
        fmt::format("{}, {} resolved, {} missing, {} more softly; {} unused ({}); {} used by code alone; {} broken\n",
                    format_count(audit.references, "reference", "references"), format_count(audit.resolved),
                    format_count(audit.missing.size()), format_count(audit.soft.size()),
                    format_count(audit.unused.size(), "name", "names"), format_size(unused_bytes),
                    format_count(audit.by_code), format_count(audit.broken.size()));
    return text;
}

Json json_of(const ReferenceAudit& audit, const BundlePlan& plan) {
    const auto unused = [](const UnusedAsset& one) { return Json{{"name", one.name}, {"size", one.size_bytes}}; };
    const auto root = [&](const RootClosure& one) {
        std::vector<std::string> names;
        for (const std::uint32_t name : one.names)
            names.push_back(plan.names[name].name.text());
        std::ranges::sort(names);
        const auto missing = [&](std::uint32_t index) { return json_of_missing(audit.missing[index]); };
        return Json{{"root", one.root},
                    {"size", one.size_bytes},
                    {"names", names},
                    {"missing", json_list(one.missing, missing)}};
    };
    return Json{{"complete", audit.missing.empty()},
                {"references", audit.references},
                {"resolved", audit.resolved},
                {"by_code", audit.by_code},
                {"missing", json_of_all_missing(audit.missing, audit.soft)},
                {"unused", json_list(audit.unused, unused)},
                {"broken", json_list(audit.broken, json_of_broken)},
                {"idle_patterns", audit.idle_patterns},
                {"roots", json_list(audit.roots, root)}};
}

Json references_json(const ReferenceSummary& references) {
    return Json{{"references", references.references},
                {"resolved", references.resolved},
                {"rewritten", references.rewritten},
                {"missing", json_of_all_missing(references.missing, references.soft)},
                {"broken", json_list(references.broken, json_of_broken)},
                {"idle_patterns", references.idle_patterns}};
}

std::string format_references(const ReferenceSummary& references, const Console& console) {
    constexpr std::string_view kMore = "; 'fardel audit' shows more of each, --json lists all";
    std::string text = format_cut_list(console.paint(Colour::yellow, "[link] patterns that match nothing"),
                                       references.idle_patterns, kShownMax, format_glob, kMore);
    text += format_cut_list(console.paint(Colour::yellow, "broken, so not looked into"), references.broken, kShownMax,
                            format_broken, kMore);
    text += format_cut_list(console.paint(Colour::red, "missing"), references.missing, kShownMax, describe, kMore);
    return text + fmt::format("{}, {} missing{}\n", format_count(references.references, "reference", "references"),
                              format_count(references.missing.size()),
                              references.rewritten != 0
                                  ? fmt::format("; {} rewritten", format_count(references.rewritten, "asset", "assets"))
                                  : "");
}

}  // namespace fardel
