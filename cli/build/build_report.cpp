#include "build_report.h"

#include "build_explanation.h"
#include "bundles/left_out.h"
#include "console/figures.h"
#include "reference_report.h"

#include <fardel/format/name.h>

namespace fardel {
namespace {

double ratio_of(const BundleWriteSummary& written) {
    return written.stored_bytes == 0
               ? 1
               : static_cast<double>(written.raw_bytes) / static_cast<double>(written.stored_bytes);
}

std::string format_left_out(const BuildSummary& summary, const Console& console) {
    return format_left_out(summary.scan, console) +
           format_cut_list(console.paint(Colour::yellow, "rules that match nothing"), summary.idle_rules,
                           kLeftOutShownMax, [](const std::string& rule) { return rule; }) +
           format_cut_list(console.paint(Colour::yellow, "names without a variant for the target"),
                           summary.names_not_chosen, kLeftOutShownMax, [](const std::string& name) { return name; });
}

std::string format_bundle(const BuiltBundle& built, const Console& console) {
    const BundleWriteSummary& written = built.written;
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
    const BundleWriteSummary& written = built.written;
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
        {"signed_by", json_id(built.signed_by)},
        {"idle_rules", idle_rules},
    };
    set_left_out(json, scan);
    return json;
}

Json json_of_bundles(const BuildSummary& summary) {
    if (summary.bundles.size() == 1)
        return json_of(summary.bundles.front(), summary.scan, summary.idle_rules);
    const auto json = [&](const BuiltBundle& built) {
        const bool is_first = &built == &summary.bundles.front();  // it has the lists of all
        return is_first ? json_of(built, summary.scan, summary.idle_rules) : json_of(built, {}, {});
    };
    return Json{{"bundles", json_list(summary.bundles, json)}};
}

// The bundles, one after the other, and the entries that they do not contain; without references.
std::string format_bundles(const BuildSummary& summary, const Console& console) {
    return format_left_out(summary, console) +
           format_each(summary.bundles, [&](const BuiltBundle& built) { return format_bundle(built, console); });
}

// "farm (server http://…)". A default name says no more than what follows it.
std::string layer_title(const CacheLayerStatistics& layer) {
    return layer.name.starts_with(layer.layer + " ") ? layer.name : fmt::format("{} ({})", layer.layer, layer.name);
}

// How many keys the layer would answer per second; 0: it was not asked, or for no measurable time.
std::uint64_t checks_per_second(const CacheLayerStatistics& layer) {
    const auto waited_us = static_cast<std::uint64_t>(layer.waited.count());
    return waited_us == 0 ? 0 : (layer.hits + layer.misses) * 1'000'000 / waited_us;
}

// ---- The outcome of a build -----------------------------------------------------------------------------------------

Json json_of(const CacheStatistics& statistics) {
    Json layers = json_list(statistics.layers, [](const CacheLayerStatistics& layer) {
        return Json{{"layer", layer.layer},
                    {"name", layer.name},
                    {"hits", layer.hits},
                    {"misses", layer.misses},
                    {"broken", layer.broken},
                    {"refused", layer.refused},
                    {"refusal", layer.refusal},
                    {"errors", layer.errors},
                    {"error", layer.error},
                    {"records_written", layer.records_written},
                    {"objects_written", layer.objects_written},
                    {"bytes_read", layer.bytes_read},
                    {"bytes_written", layer.bytes_written},
                    {"filled", layer.filled},
                    {"waited_ms", layer.waited.count() / 1000},
                    {"checks_per_second", checks_per_second(layer)},
                    {"left_out", layer.left_out}};
    });
    Json trimmed = json_list(statistics.trimmed, [](const CacheTrimmed& folder) {
        return Json{{"folder", folder.folder},
                    {"files_removed", folder.files_removed},
                    {"bytes_removed", folder.bytes_removed},
                    {"bytes_left", folder.bytes_left},
                    {"problem", folder.problem}};
    });
    return {{"layers", std::move(layers)},
            {"trimmed", std::move(trimmed)},
            {"verified", statistics.verified},
            {"verified_differently", statistics.verified_differently}};
}

}  // namespace

std::string format_unconfined(std::string_view reason, const Console& console) {
    return reason.empty() ? std::string()
                          : fmt::format("{} {}\n", console.paint(Colour::yellow, "jobs run unconfined:"), reason);
}

namespace {

std::string format_logs(const BuildOutcome& outcome, const Console& console) {
    std::string text = format_unconfined(outcome.unconfined, console);
    for (const std::string& log : outcome.logs)
        text += log.ends_with('\n') ? log : log + '\n';
    if (!outcome.farm_problem.empty())
        text += fmt::format("{} {}\n", console.paint(Colour::yellow, "farm:"), outcome.farm_problem);
    for (const std::string& warning : outcome.warnings)
        text += fmt::format("{} {}\n", console.paint(Colour::yellow, "cache left out:"), warning);
    for (const CacheLayerStatistics& layer : outcome.cache.layers)
        if (!layer.left_out.empty())
            text += fmt::format("{} {}: {}\n", console.paint(Colour::yellow, "cache left out:"), layer_title(layer),
                                layer.left_out);
        else if (layer.errors != 0)
            text += fmt::format("{} {}: {}, the last: {}\n", console.paint(Colour::yellow, "cache errors:"),
                                layer_title(layer), format_count(layer.errors, "error", "errors"),
                                printable(layer.error, 2000));
    for (const CacheLayerStatistics& layer : outcome.cache.layers)
        if (layer.refused != 0)
            text += fmt::format("{} {}: {} not used; the first: {}\n", console.paint(Colour::yellow, "cache refused:"),
                                layer_title(layer), format_count(layer.refused, "record", "records"), layer.refusal);
    for (const CacheTrimmed& trimmed : outcome.cache.trimmed)
        text += trimmed.problem.empty()
                    ? fmt::format("cache trimmed: {}: {} removed, {}; {} left\n", trimmed.folder,
                                  format_count(trimmed.files_removed, "file", "files"),
                                  format_size(trimmed.bytes_removed), format_size(trimmed.bytes_left))
                    : fmt::format("{} {}\n", console.paint(Colour::yellow, "cache not trimmed:"), trimmed.problem);
    for (const std::string& different : outcome.different)
        text += fmt::format("{}: gave other bytes than before for the same inputs\n",
                            console.paint(Colour::yellow, different));
    return text;
}

std::string format_counts(const BuildCounts& counts) {
    std::string text;
    if (counts.jobs != 0)
        text += fmt::format("jobs: {} of {} run, {} from the cache\n", format_count(counts.jobs_run),
                            format_count(counts.jobs), format_count(counts.jobs - counts.jobs_run));
    if (counts.jobs_sent != 0)
        text += fmt::format("farm: {} sent, {} came back{}\n", format_count(counts.jobs_sent, "job", "jobs"),
                            format_count(counts.jobs_returned),
                            counts.jobs_returned < counts.jobs_sent ? "; the others ran here" : "");
    if (counts.with_scanner != 0)
        text += fmt::format("scanned: {} of {}{}\n", format_count(counts.scanned),
                            format_count(counts.with_scanner, "asset", "assets"),
                            counts.scanned < counts.with_scanner ? ", the others were known" : "");
    return text;
}

std::string format_bundles(const BuildOutcome& outcome, const Console& console) {
    if (outcome.up_to_date)
        return format_left_out(outcome.summary, console) +
               fmt::format("{} is up to date ({})\n", printable(outcome.target), format_seconds(outcome.seconds));
    std::uint64_t blocks = 0;
    std::uint64_t copied = 0;
    for (const BuiltBundle& built : outcome.summary.bundles) {
        blocks += built.written.blocks;
        copied += built.written.copied_blocks;
    }
    return format_bundles(outcome.summary, console) +
           fmt::format("  read        {} of {}; {} of {} copied\n", format_count(outcome.counts.sources_read),
                       format_count(outcome.counts.sources, "source", "sources"), format_count(copied),
                       format_count(blocks, "block", "blocks"));
}

}  // namespace

std::string format_report(const BuildSummary& summary, const Console& console) {
    return format_bundles(summary, console) +
           (summary.references ? format_references(*summary.references, console) : "");
}

Json json_of(const BuildSummary& summary) {
    Json json = json_of_bundles(summary);
    if (summary.references)
        json.set("link", references_json(*summary.references));
    return json;
}

std::string format_report(const BuildOutcome& outcome, const Console& console, bool explain) {
    const std::string target =
        outcome.project_target.empty() ? std::string() : fmt::format("target {}\n", outcome.project_target);
    const std::string why = explain ? format_explanation(outcome, console) : std::string();
    return target + why + format_logs(outcome, console) + format_counts(outcome.counts) +
           format_bundles(outcome, console) +
           (outcome.summary.references ? format_references(*outcome.summary.references, console) : "");
}

Json json_of(const BuildOutcome& outcome) {
    Json json = json_of(outcome.summary);
    json.set("up_to_date", outcome.up_to_date);
    json.set("seconds", outcome.seconds);
    json.set("sources", outcome.counts.sources);
    json.set("sources_read", outcome.counts.sources_read);
    json.set("jobs", outcome.counts.jobs);
    json.set("jobs_run", outcome.counts.jobs_run);
    json.set("jobs_sent", outcome.counts.jobs_sent);
    json.set("jobs_returned", outcome.counts.jobs_returned);
    json.set("farm_problem", outcome.farm_problem);
    json.set("assets_with_scanner", outcome.counts.with_scanner);
    json.set("assets_scanned", outcome.counts.scanned);
    json.set("warnings", outcome.warnings);
    json.set("unconfined", outcome.unconfined.empty() ? Json() : Json(outcome.unconfined));
    json.set("cache", json_of(outcome.cache));
    json.set("logs", outcome.logs);
    json.set("different", outcome.different);
    json.set("why", outcome.why);
    json.set("explained", json_of(outcome.explained));
    if (!outcome.project_target.empty()) {
        json.set("target", outcome.project_target);
        json.set("names_without_variant", outcome.summary.names_not_chosen);
    }
    return json;
}

Json json_of_targets(const std::vector<BuildOutcome>& outcomes) {
    if (outcomes.size() == 1 && outcomes.front().project_target.empty())
        return json_of(outcomes.front());
    return {{"targets", json_list(outcomes, [](const BuildOutcome& one) { return json_of(one); })}};
}

}  // namespace fardel
