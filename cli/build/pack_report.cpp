#include "pack_report.h"

#include "console/cut_list.h"
#include "console/figures.h"
#include "resolve_report.h"

#include <fardel/format/name.h>

#include <fmt/format.h>

#include <vector>

namespace fardel {
namespace {

constexpr std::size_t kNamesListedMax = 10;  // of each kind; --json has all

double ratio_of(const WriteSummary& written) {
    return written.stored_bytes == 0
               ? 1
               : static_cast<double>(written.raw_bytes) / static_cast<double>(written.stored_bytes);
}

std::string format_refused(const RefusedName& refused) {
    return fmt::format("{}: {}", refused.origin, printable(refused.reason.message()));
}

std::string format_overridden(const OverriddenName& hidden) {
    const std::string by = hidden.by_name == hidden.name ? "" : fmt::format(" ({})", hidden.by_name.text());
    return fmt::format("{} by {}{}", hidden.origin, hidden.by_origin, by);
}

std::string format_excluded(const ExcludedName& excluded) {
    return fmt::format("{} by {}", excluded.origin, printable(excluded.pattern));
}

std::string format_left_out(const BuildSummary& summary, const Console& console) {
    std::string text = format_cut_list(console.paint(Colour::yellow, "not packed"), summary.scan.refused,
                                       kNamesListedMax, format_refused);
    text += format_cut_list("hidden by a later source", summary.scan.overridden, kNamesListedMax, format_overridden);
    text += format_cut_list("excluded", summary.scan.excluded, kNamesListedMax, format_excluded);
    text += format_cut_list(console.paint(Colour::yellow, "rules that match nothing"), summary.idle_rules,
                            kNamesListedMax, [](const std::string& rule) { return rule; });
    return text;
}

std::string format_bundle(const BuiltBundle& built, const Console& console) {
    const WriteSummary& written = built.written;
    std::string text = fmt::format("packed {} in {}\n", printable(built.path), format_seconds(built.seconds));
    text += fmt::format("  bundle      {}\n", written.bundle.hex());
    text += fmt::format("  name        {}\n", format_title(built.name, built.version));
    text += fmt::format("  assets      {} behind {}\n", format_count(written.assets),
                        format_count(written.names, "name", "names"));
    if (written.duplicates != 0)
        text += fmt::format("  duplicates  {}, {} saved\n", format_count(written.duplicates),
                            format_size(written.duplicate_bytes));
    text += fmt::format("  size        {} raw, {} stored (ratio {:.2f}), file {}\n", format_size(written.raw_bytes),
                        format_size(written.stored_bytes), ratio_of(written), format_size(written.file_bytes));
    text += built.signed_by ? fmt::format("  signed by   {}\n", built.signed_by->hex())
                            : fmt::format("  {}; 'fardel sign' signs it\n", console.paint(Colour::yellow, "unsigned"));
    return text;
}

Json json_of(const BuiltBundle& built, const ScanReport& scan, const std::vector<std::string>& idle_rules) {
    const WriteSummary& written = built.written;
    Json json{
        {"file", built.path},
        {"bundle", written.bundle.hex()},
        {"layout", written.layout.hex()},
        {"name", built.name},
        {"version", built.version},
        {"assets", written.assets},
        {"names", written.names},
        {"duplicates", written.duplicates},
        {"duplicate_bytes", written.duplicate_bytes},
        {"raw_bytes", written.raw_bytes},
        {"stored_bytes", written.stored_bytes},
        {"manifest_bytes", written.manifest_bytes},
        {"blocks", written.blocks},
        {"file_bytes", written.file_bytes},
        {"ratio", ratio_of(written)},
        {"seconds", built.seconds},
        {"signed_by", built.signed_by ? Json(built.signed_by->hex()) : Json()},
        {"refused", Json::array()},
        {"overridden", Json::array()},
        {"excluded", Json::array()},
        {"idle_rules", idle_rules},
    };
    for (const RefusedName& refused : scan.refused)
        json["refused"].push_back({{"name", refused.printable_name},
                                   {"origin", refused.origin},
                                   {"code", error_code_name(refused.reason.code())},
                                   {"reason", refused.reason.message()}});
    for (const OverriddenName& hidden : scan.overridden)
        json["overridden"].push_back({{"name", hidden.name.text()},
                                      {"origin", hidden.origin},
                                      {"by_name", hidden.by_name.text()},
                                      {"by_origin", hidden.by_origin}});
    for (const ExcludedName& excluded : scan.excluded)
        json["excluded"].push_back(
            {{"name", excluded.name}, {"origin", excluded.origin}, {"pattern", excluded.pattern}});
    return json;
}

Json json_of_bundles(const BuildSummary& summary) {
    if (summary.bundles.size() == 1)
        return json_of(summary.bundles.front(), summary.scan, summary.idle_rules);
    Json json{{"bundles", Json::array()}};
    for (const BuiltBundle& built : summary.bundles) {
        const bool is_first = &built == &summary.bundles.front();  // it has the lists of all
        json["bundles"].push_back(is_first ? json_of(built, summary.scan, summary.idle_rules) : json_of(built, {}, {}));
    }
    return json;
}

}  // namespace

std::string format_bundles(const BuildSummary& summary, const Console& console) {
    std::string text = format_left_out(summary, console);
    for (const BuiltBundle& built : summary.bundles)
        text += format_bundle(built, console);
    return text;
}

std::string format_report(const BuildSummary& summary, const Console& console) {
    return format_bundles(summary, console) +
           (summary.references ? format_references(*summary.references, console) : "");
}

Json json_of(const BuildSummary& summary) {
    Json json = json_of_bundles(summary);
    if (summary.references)
        json["link"] = references_json(*summary.references);
    return json;
}

}  // namespace fardel
