#include "resolve_report.h"

#include "console/figures.h"

#include <fardel/format/name.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace fardel {
namespace {

constexpr std::size_t kToldMax = 5;

const Json* find_in(const Json& object, const char* key) {
    const auto at = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && at != object.end() ? &*at : nullptr;
}

std::uint64_t number_in(const Json& object, const char* key) {
    const Json* const value = find_in(object, key);
    return value && value->is_number_unsigned() ? value->get<std::uint64_t>() : 0;
}

std::string text_of(const Json& object, const char* key) {
    const Json* const value = find_in(object, key);
    return value && value->is_string() ? printable(value->get<std::string>()) : std::string();
}

// The first of a list, each a line.
template <class Line>
std::string format_list(const Json& references, const char* key, std::string_view title, Line line) {
    const Json* const list = find_in(references, key);
    if (!list || !list->is_array() || list->empty())
        return {};
    std::string text = fmt::format("{}: {}\n", title, format_count(list->size()));
    for (std::size_t i = 0; i < std::min(list->size(), kToldMax); ++i)
        text += "  " + line((*list)[i]) + "\n";
    if (list->size() > kToldMax)
        text += fmt::format("  … and {} more; 'fardel audit' tells more of each, --json lists all\n",
                            format_count(list->size() - kToldMax));
    return text;
}

}  // namespace

std::string format_missing(const MissingReference& missing) {
    const std::string line = missing.reference.line != 0 ? fmt::format(":{}", missing.reference.line) : "";
    return fmt::format("{}{}: {} {}", printable(missing.from), line, reference_use_name(missing.reference.use),
                       printable(missing.reference.spelling));
}

Json references_json(const ResolveResult& resolved) {
    const ReferenceAudit& audit = resolved.audit;
    Json json{{"references", audit.references}, {"resolved", audit.resolved}, {"rewritten", resolved.rewritten},
              {"missing", Json::array()},       {"broken", Json::array()},    {"idle_patterns", audit.idle_patterns}};
    for (const MissingReference& missing : audit.missing)
        json["missing"].push_back({{"from", missing.from},
                                   {"line", missing.reference.line},
                                   {"spelling", missing.reference.spelling},
                                   {"use", reference_use_name(missing.reference.use)},
                                   {"tried", missing.tried}});
    for (const BrokenAsset& broken : audit.broken)
        json["broken"].push_back({{"name", broken.name}, {"reason", broken.reason}});
    return json;
}

std::string format_references(const Json& references, const Console& console) {
    if (!find_in(references, "references"))
        return {};
    std::string text = format_list(
        references, "idle_patterns", console.paint(Colour::yellow, "[link] patterns that match nothing"),
        [](const Json& glob) { return glob.is_string() ? printable(glob.get<std::string>()) : std::string(); });
    text += format_list(
        references, "broken", console.paint(Colour::yellow, "broken, so not looked into"),
        [](const Json& one) { return fmt::format("{}: {}", text_of(one, "name"), text_of(one, "reason")); });
    text += format_list(references, "missing", console.paint(Colour::red, "missing"), [](const Json& one) {
        const std::uint64_t line = number_in(one, "line");
        return fmt::format("{}{}: {} {}", text_of(one, "from"), line != 0 ? fmt::format(":{}", line) : "",
                           text_of(one, "use"), text_of(one, "spelling"));
    });
    const Json* const missing = find_in(references, "missing");
    const std::uint64_t rewritten = number_in(references, "rewritten");
    text +=
        fmt::format("{}, {} missing{}\n", format_count(number_in(references, "references"), "reference", "references"),
                    format_count(missing && missing->is_array() ? missing->size() : 0),
                    rewritten != 0 ? fmt::format("; {} rewritten", format_count(rewritten, "asset", "assets")) : "");
    return text;
}

}  // namespace fardel
