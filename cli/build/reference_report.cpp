#include "reference_report.h"

#include "console/figures.h"

#include <fardel/format/name.h>

#include <algorithm>
#include <iterator>

namespace fardel {
namespace {

constexpr std::size_t kListedMax = 20;  // by `fardel audit`
constexpr std::size_t kShownMax = 5;    // of each list, by `fardel build` and `fardel pack`

std::string format_glob(const std::string& glob) { return printable(glob); }

std::string format_unused(const UnusedAsset& unused) {
    return fmt::format("{} ({})", printable(unused.name), format_size(unused.size_bytes));
}

std::string format_broken(const BrokenAsset& broken) {
    const std::string soft = broken.why_soft.empty() || broken.kind == BrokenKind::other_format
                                 ? std::string()
                                 : fmt::format(" ({})", broken.why_soft);
    return fmt::format("{}: {}{}", printable(broken.name), printable(broken.reason), soft);
}

// `more`: where the rest of the list is.
std::string format_all_respelled(const std::vector<RespelledReference>& respelled, std::size_t shown,
                                 const Console& console, std::string_view more = {}) {
    return format_cut_list(
        console.paint(Colour::yellow,
                      "there, but only case or the form of accents differs; a mount with --fold finds them"),
        respelled, shown, [](const RespelledReference& one) { return describe(one); }, more);
}

std::vector<BrokenAsset> of_kind(const std::vector<BrokenAsset>& broken, BrokenKind kind) {
    std::vector<BrokenAsset> some;
    std::ranges::copy_if(broken, std::back_inserter(some), [&](const BrokenAsset& one) { return one.kind == kind; });
    return some;
}

// `more`: where the rest of a list is.
std::string format_all_broken(const std::vector<BrokenAsset>& broken, std::size_t shown, const Console& console,
                              std::string_view more = {}) {
    struct Kind {
        BrokenKind kind;
        std::string_view text;
    };
    constexpr Kind kKinds[] = {{BrokenKind::other_format, "of another format, so not looked into"},
                               {BrokenKind::whole, "broken, so not looked into"},
                               {BrokenKind::part, "broken in part; the rest was looked into"}};
    std::string text;
    for (const Kind& kind : kKinds) {
        const std::string title =
            kind.kind == BrokenKind::other_format ? std::string(kind.text) : console.paint(Colour::yellow, kind.text);
        text += format_cut_list(title, of_kind(broken, kind.kind), shown, format_broken, more);
    }
    return text;
}

std::size_t count_broken(const std::vector<BrokenAsset>& broken) {
    return broken.size() - of_kind(broken, BrokenKind::other_format).size();
}

std::string format_root(const RootClosure& root) {
    const std::string missing =
        root.missing.empty() ? "" : fmt::format(", {} missing", format_count(root.missing.size()));
    return fmt::format("{}: {}, {}{}", printable(root.root), format_count(root.names.size(), "name", "names"),
                       format_size(root.size_bytes), missing);
}

std::string format_missing(const MissingReference& missing) {
    return describe(missing) + "\n    " + describe_tried(missing);
}

std::string format_soft(const MissingReference& missing) {
    return fmt::format("{} ({})\n    {}", describe(missing), missing.why_soft, describe_tried(missing));
}

Json json_of_missing(const MissingReference& missing) {
    Json json{{"hard", missing.why_soft.empty()},
              {"from", missing.from},
              {"line", missing.reference.line},
              {"spelling", missing.reference.spelling},
              {"use", reference_use_name(missing.reference.use)},
              {"tried", missing.tried}};
    if (!missing.why_not_tried.empty())
        json.set("why_not_tried", missing.why_not_tried);
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

Json json_of_broken(const BrokenAsset& broken) {
    Json json{{"name", broken.name}, {"reason", broken.reason}, {"hard", broken.why_soft.empty()}};
    if (broken.kind != BrokenKind::other_format)
        json.set("part", broken.kind == BrokenKind::part);
    if (!broken.why_soft.empty())
        json.set("why", broken.why_soft);
    return json;
}

Json json_of_respelled(const RespelledReference& respelled) {
    return Json{{"from", respelled.from},
                {"line", respelled.reference.line},
                {"spelling", respelled.reference.spelling},
                {"use", reference_use_name(respelled.reference.use)},
                {"name", respelled.name}};
}

// The lists that reports of audits and builds have in common.
void set_looked_into(Json& json, const std::vector<BrokenAsset>& broken,
                     const std::vector<RespelledReference>& respelled) {
    Json list = json_list(of_kind(broken, BrokenKind::whole), json_of_broken);
    for (const BrokenAsset& part : of_kind(broken, BrokenKind::part))
        list.push_back(json_of_broken(part));
    json.set("broken", std::move(list));
    json.set("other_formats", json_list(of_kind(broken, BrokenKind::other_format), json_of_broken));
    json.set("respelled", json_list(respelled, json_of_respelled));
}

}  // namespace

std::string format_report(const ReferenceAudit& audit, const Console& console) {
    std::uint64_t unused_bytes = 0;
    for (const UnusedAsset& unused : audit.unused)
        unused_bytes += unused.size_bytes;
    std::string text = format_cut_list("roots", audit.roots, kListedMax, format_root);
    text += format_cut_list(console.paint(Colour::yellow, "patterns that match nothing"), audit.idle_patterns,
                            kListedMax, format_glob);
    text += format_all_broken(audit.broken, kListedMax, console);
    text += format_cut_list("unused", audit.unused, kListedMax, format_unused);
    text += format_all_respelled(audit.respelled, kListedMax, console);
    text += format_cut_list(console.paint(Colour::yellow, "missing, soft"), audit.soft, kListedMax, format_soft);
    text += format_cut_list(console.paint(Colour::red, "missing, hard"), audit.missing, kListedMax, format_missing);
    text +=
        fmt::format("{}, {} resolved, {} missing, {} more softly; {} unused ({}); {} used by code alone; {} broken\n",
                    format_count(audit.references, "reference", "references"), format_count(audit.resolved),
                    format_count(audit.missing.size()), format_count(audit.soft.size()),
                    format_count(audit.unused.size(), "name", "names"), format_size(unused_bytes),
                    format_count(audit.by_code), format_count(count_broken(audit.broken)));
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
    Json json{{"complete", is_complete(audit)},
              {"references", audit.references},
              {"resolved", audit.resolved},
              {"by_code", audit.by_code},
              {"missing", json_of_all_missing(audit.missing, audit.soft)},
              {"unused", json_list(audit.unused, unused)},
              {"idle_patterns", audit.idle_patterns},
              {"roots", json_list(audit.roots, root)}};
    set_looked_into(json, audit.broken, audit.respelled);
    return json;
}

Json references_json(const ReferenceSummary& references) {
    Json json{{"references", references.references},
              {"resolved", references.resolved},
              {"rewritten", references.rewritten},
              {"missing", json_of_all_missing(references.missing, references.soft)},
              {"idle_patterns", references.idle_patterns}};
    set_looked_into(json, references.broken, references.respelled);
    return json;
}

std::string format_references(const ReferenceSummary& references, const Console& console) {
    constexpr std::string_view kMore = "; 'fardel audit' shows more of each, --json lists all";
    std::string text = format_cut_list(console.paint(Colour::yellow, "[link] patterns that match nothing"),
                                       references.idle_patterns, kShownMax, format_glob, kMore);
    text += format_all_broken(references.broken, kShownMax, console, kMore);
    text += format_all_respelled(references.respelled, kShownMax, console, kMore);
    text +=
        format_cut_list(console.paint(Colour::red, "missing"), references.missing, kShownMax, format_missing, kMore);
    return text + fmt::format("{}, {} missing{}\n", format_count(references.references, "reference", "references"),
                              format_count(references.missing.size()),
                              references.rewritten != 0
                                  ? fmt::format("; {} rewritten", format_count(references.rewritten, "asset", "assets"))
                                  : "");
}

}  // namespace fardel
