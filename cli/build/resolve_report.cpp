#include "resolve_report.h"

#include "console/figures.h"

#include <fardel/format/name.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace fardel {
namespace {

constexpr std::size_t kShownMax = 5;

// The first items of a list, one per line.
template <class Item, class Line>
std::string format_list(const std::vector<Item>& items, std::string_view title, Line line) {
    if (items.empty())
        return {};
    std::string text = fmt::format("{}: {}\n", title, format_count(items.size()));
    for (std::size_t i = 0; i < std::min(items.size(), kShownMax); ++i)
        text += "  " + line(items[i]) + "\n";
    if (items.size() > kShownMax)
        text += fmt::format("  … and {} more; 'fardel audit' shows more of each, --json lists all\n",
                            format_count(items.size() - kShownMax));
    return text;
}

}  // namespace

Json json_of(const MissingReference& missing) {
    return Json{{"from", missing.from},
                {"line", missing.reference.line},
                {"spelling", missing.reference.spelling},
                {"use", reference_use_name(missing.reference.use)},
                {"tried", missing.tried}};
}

Json references_json(const ReferenceSummary& references) {
    Json json{{"references", references.references},
              {"resolved", references.resolved},
              {"rewritten", references.rewritten},
              {"missing", Json::array()},
              {"broken", Json::array()},
              {"idle_patterns", references.idle_patterns}};
    for (const MissingReference& missing : references.missing)
        json["missing"].push_back(json_of(missing));
    for (const BrokenAsset& broken : references.broken)
        json["broken"].push_back({{"name", broken.name}, {"reason", broken.reason}});
    return json;
}

std::string format_references(const ReferenceSummary& references, const Console& console) {
    std::string text =
        format_list(references.idle_patterns, console.paint(Colour::yellow, "[link] patterns that match nothing"),
                    [](const std::string& glob) { return printable(glob); });
    text += format_list(references.broken, console.paint(Colour::yellow, "broken, so not looked into"),
                        [](const BrokenAsset& broken) {
                            return fmt::format("{}: {}", printable(broken.name), printable(broken.reason));
                        });
    text += format_list(references.missing, console.paint(Colour::red, "missing"),
                        [](const MissingReference& missing) { return describe(missing); });
    return text + fmt::format("{}, {} missing{}\n", format_count(references.references, "reference", "references"),
                              format_count(references.missing.size()),
                              references.rewritten != 0
                                  ? fmt::format("; {} rewritten", format_count(references.rewritten, "asset", "assets"))
                                  : "");
}

}  // namespace fardel
