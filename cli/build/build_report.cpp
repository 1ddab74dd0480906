#include "build_report.h"

#include "console/figures.h"
#include "pack_report.h"
#include "resolve_report.h"

#include <fardel/format/name.h>

#include <fmt/format.h>

#include <utility>

namespace fardel {
namespace {

Json json_of(const CacheStatistics& statistics) {
    Json layers = Json::array();
    for (const CacheLayerStatistics& layer : statistics.layers)
        layers.push_back({{"name", layer.name},
                          {"hits", layer.hits},
                          {"misses", layer.misses},
                          {"broken", layer.broken},
                          {"errors", layer.errors},
                          {"records_written", layer.records_written},
                          {"objects_written", layer.objects_written},
                          {"bytes_read", layer.bytes_read},
                          {"bytes_written", layer.bytes_written},
                          {"filled", layer.filled},
                          {"waited_ms", layer.waited.count() / 1000},
                          {"left_out", layer.left_out}});
    return {{"layers", std::move(layers)},
            {"verified", statistics.verified},
            {"verified_differently", statistics.verified_differently}};
}

std::string format_logs(const BuildOutcome& outcome, const Console& console) {
    std::string text;
    for (const std::string& log : outcome.logs)
        text += log.ends_with('\n') ? log : log + '\n';
    for (const std::string& warning : outcome.warnings)
        text += fmt::format("{} {}\n", console.paint(Colour::yellow, "cache left out:"), warning);
    for (const CacheLayerStatistics& layer : outcome.cache.layers)
        if (!layer.left_out.empty())
            text += fmt::format("{} {}: {}\n", console.paint(Colour::yellow, "cache left out:"), layer.name,
                                layer.left_out);
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
    if (counts.with_scanner != 0)
        text += fmt::format("scanned: {} of {}{}\n", format_count(counts.scanned),
                            format_count(counts.with_scanner, "asset", "assets"),
                            counts.scanned < counts.with_scanner ? ", the others were known" : "");
    return text;
}

std::string format_bundles(const BuildOutcome& outcome, const Console& console) {
    if (outcome.up_to_date)
        return fmt::format("{} is up to date ({})\n", printable(outcome.target), format_seconds(outcome.seconds));
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

std::string format_report(const BuildOutcome& outcome, const Console& console) {
    return format_logs(outcome, console) + format_counts(outcome.counts) + format_bundles(outcome, console) +
           (outcome.summary.references ? format_references(*outcome.summary.references, console) : "");
}

Json json_of(const BuildOutcome& outcome) {
    Json json = json_of(outcome.summary);
    json["up_to_date"] = outcome.up_to_date;
    json["seconds"] = outcome.seconds;
    json["sources"] = outcome.counts.sources;
    json["sources_read"] = outcome.counts.sources_read;
    json["jobs"] = outcome.counts.jobs;
    json["jobs_run"] = outcome.counts.jobs_run;
    json["assets_with_scanner"] = outcome.counts.with_scanner;
    json["assets_scanned"] = outcome.counts.scanned;
    json["warnings"] = outcome.warnings;
    json["cache"] = json_of(outcome.cache);
    json["logs"] = outcome.logs;
    json["different"] = outcome.different;
    return json;
}

}  // namespace fardel
