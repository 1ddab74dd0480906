#include "pack_report.h"

#include "console/cut_list.h"
#include "console/figures.h"

#include <fardel/format/name.h>

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace

std::string format_report(const PackReport& report, const Console& console) {
    const WriteSummary& written = report.written;
    std::string text = format_cut_list(console.paint(Colour::yellow, "not packed"), report.scan.refused,
                                       kNamesListedMax, format_refused);
    text += format_cut_list("hidden by a later source", report.scan.overridden, kNamesListedMax, format_overridden);
    text += format_cut_list("excluded", report.scan.excluded, kNamesListedMax, format_excluded);
    text += format_cut_list(console.paint(Colour::yellow, "rules that match nothing"), report.idle_rules,
                            kNamesListedMax, [](const std::string& rule) { return rule; });
    text += fmt::format("packed {} in {}\n", printable(report.file), format_seconds(report.seconds));
    text += fmt::format("  bundle      {}\n", written.bundle.hex());
    text += fmt::format("  name        {}\n", format_title(report.name, report.version));
    text += fmt::format("  assets      {} behind {}\n", format_count(written.assets),
                        format_count(written.names, "name", "names"));
    if (written.duplicates != 0)
        text += fmt::format("  duplicates  {}, {} saved\n", format_count(written.duplicates),
                            format_size(written.duplicate_bytes));
    text += fmt::format("  size        {} raw, {} stored (ratio {:.2f}), file {}\n", format_size(written.raw_bytes),
                        format_size(written.stored_bytes), ratio_of(written), format_size(report.file_bytes));
    text += report.signed_by ? fmt::format("  signed by   {}\n", report.signed_by->hex())
                             : fmt::format("  {}; 'fardel sign' signs it\n", console.paint(Colour::yellow, "unsigned"));
    return text;
}

Json json_of(const PackReport& report) {
    const WriteSummary& written = report.written;
    Json json{
        {"file", report.file},
        {"bundle", written.bundle.hex()},
        {"layout", written.layout.hex()},
        {"name", report.name},
        {"version", report.version},
        {"assets", written.assets},
        {"names", written.names},
        {"duplicates", written.duplicates},
        {"duplicate_bytes", written.duplicate_bytes},
        {"raw_bytes", written.raw_bytes},
        {"stored_bytes", written.stored_bytes},
        {"manifest_bytes", written.manifest_bytes},
        {"blocks", written.blocks},
        {"file_bytes", report.file_bytes},
        {"ratio", ratio_of(written)},
        {"seconds", report.seconds},
        {"signed_by", report.signed_by ? Json(report.signed_by->hex()) : Json()},
        {"refused", Json::array()},
        {"overridden", Json::array()},
        {"excluded", Json::array()},
        {"idle_rules", report.idle_rules},
    };
    for (const RefusedName& refused : report.scan.refused)
        json["refused"].push_back({{"name", refused.printable_name},
                                   {"origin", refused.origin},
                                   {"code", error_code_name(refused.reason.code())},
                                   {"reason", refused.reason.message()}});
    for (const OverriddenName& hidden : report.scan.overridden)
        json["overridden"].push_back({{"name", hidden.name.text()},
                                      {"origin", hidden.origin},
                                      {"by_name", hidden.by_name.text()},
                                      {"by_origin", hidden.by_origin}});
    for (const ExcludedName& excluded : report.scan.excluded)
        json["excluded"].push_back(
            {{"name", excluded.name}, {"origin", excluded.origin}, {"pattern", excluded.pattern}});
    return json;
}

std::string format_reports(const std::vector<PackReport>& reports, const Console& console) {
    std::string text;
    for (const PackReport& report : reports)
        text += format_report(report, console);
    return text;
}

Json json_of(const std::vector<PackReport>& reports) {
    if (reports.size() == 1)
        return json_of(reports.front());
    Json json{{"bundles", Json::array()}};
    for (const PackReport& report : reports)
        json["bundles"].push_back(json_of(report));
    return json;
}

}  // namespace fardel
