#include "build_job.h"
#include "console/command_line.h"
#include "console/figures.h"
#include "console/json.h"
#include "console/progress_bar.h"
#include "pack_report.h"
#include "pack_target.h"
#include "resolve_report.h"
#include "split_job.h"

#include <fardel/base/interrupt.h>
#include <fardel/format/block_codec.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/hash.h>
#include <fardel/packer/build.h>

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <utility>

namespace fardel {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Hash hash_of(std::string_view text) { return blake3(std::as_bytes(std::span(text))); }

// Everything but the sources that decides what is written, the project's own words among it.
Result<Hash> options_of(const std::string& project_path, const PackJob& job) {
    FARDEL_TRY_ASSIGN(const auto source, open_file_source(project_path));
    std::string text(static_cast<std::size_t>(source->size_bytes()), '\0');
    FARDEL_TRY(source->read_at(0, std::as_writable_bytes(std::span(text))));
    std::string all = FARDEL_VERSION;
    for (const std::string& part :
         {text, job.out, job.name, job.version, job.key.key_path, job.key.program, std::to_string(job.level)})
        all += '\0' + std::to_string(part.size()) + ':' + part;
    return hash_of(all);
}

struct Report {
    std::vector<PackReport> packed;  // one a bundle that was written
    BuildCounts counts;
    std::vector<std::string> logs;
    std::vector<std::string> warnings;  // caches that are left out
    CacheStatistics cache;
    std::vector<std::string> different;  // jobs that did not give what they gave before
    Json link;                           // of a project with [link]; null: what the summary has
    bool up_to_date = false;
    double seconds = 0;
};

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

// What the next build tells when nothing has changed. `summary`: what the last one kept, if this one wrote nothing.
Json kept_json(const Report& report, const std::string& summary) {
    Json json = report.up_to_date ? Json::parse(summary, nullptr, false) : json_of(report.packed);
    if (!json.is_object())
        json = Json::object();
    if (!report.link.is_null())
        json["link"] = report.link;
    return json;
}

std::string summary_of(const Report& report, const std::string& summary) {
    return format_json(kept_json(report, summary));
}

Json json_of(const Report& report, const std::string& summary) {
    Json json = kept_json(report, summary);
    json["up_to_date"] = report.up_to_date;
    json["seconds"] = report.seconds;
    json["sources"] = report.counts.sources;
    json["sources_read"] = report.counts.sources_read;
    json["jobs"] = report.counts.jobs;
    json["jobs_run"] = report.counts.jobs_run;
    json["assets_with_scanner"] = report.counts.with_scanner;
    json["assets_scanned"] = report.counts.scanned;
    json["warnings"] = report.warnings;
    json["cache"] = json_of(report.cache);
    json["logs"] = report.logs;
    json["different"] = report.different;
    return json;
}

Result<Exit> tell(const Report& report, const std::string& summary, const PackJob& job, Console& console) {
    const Exit exit = report.different.empty() ? Exit::fine : Exit::refusal;
    if (job.json) {
        FARDEL_TRY(console.write(format_json(json_of(report, summary)) + "\n"));
        return exit;
    }
    std::string text;
    for (const std::string& log : report.logs)
        text += log.ends_with('\n') ? log : log + '\n';
    for (const std::string& warning : report.warnings)
        text += fmt::format("{} {}\n", console.paint(Colour::yellow, "cache left out:"), warning);
    for (const CacheLayerStatistics& layer : report.cache.layers)
        if (!layer.left_out.empty())
            text += fmt::format("{} {}: {}\n", console.paint(Colour::yellow, "cache left out:"), layer.name,
                                layer.left_out);
    for (const std::string& different : report.different)
        text += fmt::format("{}: gave other bytes than before for the same inputs\n",
                            console.paint(Colour::yellow, different));
    if (report.counts.jobs != 0)
        text +=
            fmt::format("jobs: {} of {} run, {} from the cache\n", format_count(report.counts.jobs_run),
                        format_count(report.counts.jobs), format_count(report.counts.jobs - report.counts.jobs_run));
    if (report.counts.with_scanner != 0)
        text += fmt::format("scanned: {} of {}{}\n", format_count(report.counts.scanned),
                            format_count(report.counts.with_scanner, "asset", "assets"),
                            report.counts.scanned < report.counts.with_scanner ? ", the others were known" : "");
    if (report.up_to_date) {
        text += fmt::format("{} is up to date ({})\n", printable(job.out), format_seconds(report.seconds));
    } else {
        std::uint64_t blocks = 0;
        std::uint64_t copied = 0;
        for (const PackReport& packed : report.packed) {
            blocks += packed.written.blocks;
            copied += packed.written.copied_blocks;
        }
        text += format_reports(report.packed, console);
        text += fmt::format("  read        {} of {}; {} of {} copied\n", format_count(report.counts.sources_read),
                            format_count(report.counts.sources, "source", "sources"), format_count(copied),
                            format_count(blocks, "block", "blocks"));
    }
    const Json told = json_of(report, summary);
    if (const auto link = told.find("link"); link != told.end())
        text += format_references(*link, console);
    FARDEL_TRY(console.write(text));
    return exit;
}

Status forget_builds(const std::string& folder) {
    std::error_code error;
    std::filesystem::remove_all(std::filesystem::path(folder) / kBuildFolder, error);
    return error ? Status(Error(ErrorCode::io, "the folder of earlier builds cannot be removed: " + error.message()))
                 : ok();
}

}  // namespace

void add_build_options(CommandLine& line, BuildJob& job) {
    line.text("DIR", "DIR", job.folder, "The folder of the fardel.toml; the one that we are in when left out");
    line.text("--version", "VERSION", job.pack.version, "The bundle's version; the project's when left out");
    add_signing_options(line, job.pack.key);
    add_job_options(line, job.pack);
    line.flag("--checksum", job.checksum, "Read every source, whatever its size and times say");
    line.number("--verify", job.verify_per_1000, 0, 1000,
                "Of 1000 jobs that the cache has, run so many all the same, and compare");
    line.flag("--anew", job.anew, "Forget what earlier builds left in .fardel, and do everything again");
}

Result<Exit> run_build_job(BuildJob job, Console& console) {
    const Interrupt interrupt;
    std::vector<SeenPlace> seen;
    return build_project(std::move(job), interrupt.token(), seen, console);
}

Result<Exit> build_project(BuildJob job, std::stop_token stop, std::vector<SeenPlace>& seen, Console& console) {
    const auto start = Clock::now();
    const std::string path = (std::filesystem::path(job.folder) / kProjectFileName).string();
    FARDEL_TRY_ASSIGN(OpenProject open, open_project(path));
    FARDEL_TRY(complete_job(open, job.pack, {}));
    FARDEL_TRY(verify_pack_target(job.pack.out, job.pack.sources));
    FARDEL_TRY_ASSIGN(const Hash options, options_of(path, job.pack));
    if (job.anew)
        FARDEL_TRY(forget_builds(open.folder));

    std::optional<ProgressBar> bar;
    std::string stage;
    BuildOptions build_options{.target = job.pack.out,
                               .options = options,
                               .watched = {},
                               .checksum = job.checksum,
                               .jobs = static_cast<unsigned>(job.pack.jobs),
                               .verify_per_1000 = static_cast<std::uint32_t>(job.verify_per_1000),
                               .progress = {},
                               .stop = stop};
    if (!job.pack.key.key_path.empty())
        build_options.watched.push_back(job.pack.key.key_path);
    build_options.progress = [&](const BuildProgress& progress) {
        if (progress.stage != stage) {
            bar.reset();
            bar.emplace(console, stage = progress.stage);
        }
        bar->show(progress.done, progress.total,
                  fmt::format("{} of {}", format_count(progress.done), format_count(progress.total)));
    };
    FARDEL_TRY_ASSIGN(ProjectBuild build, ProjectBuild::open(open.project, open.folder, std::move(build_options)));

    Report report;
    if (const auto last = build.find_up_to_date()) {
        seen = last->seen;
        report.up_to_date = true;
        report.seconds = seconds_since(start);
        return tell(report, last->summary, job.pack, console);
    }
    FARDEL_TRY_ASSIGN(const std::unique_ptr<Signer> signer, open_signer_of(job.pack));
    Result<PackPlan> plan = build.plan();
    seen = build.seen();
    FARDEL_TRY_ASSIGN(PackPlan planned, std::move(plan));
    bar.reset();
    FARDEL_TRY(verify_not_empty(open.project, planned.plan));
    FARDEL_TRY(verify_links(open.project, planned));
    report.counts = build.counts();
    report.logs = build.logs();
    report.different = build.different();
    report.warnings = build.warnings();
    report.cache = build.cache_statistics();
    if (planned.resolved)
        report.link = references_json(*planned.resolved);
    const Hash encoder = hash_of(encoder_name(static_cast<int>(job.pack.level)));
    if (const auto last = build.find_same(encoder)) {
        report.up_to_date = true;
        FARDEL_TRY(build.finish(encoder, last->bundles, summary_of(report, last->summary)));
        report.seconds = seconds_since(start);
        return tell(report, last->summary, job.pack, console);
    }

    std::vector<FinishedBundle> finished;
    const auto make = [&](const PackJob& one, const BundlePlan& of_one) -> Status {
        const auto begun = Clock::now();
        FARDEL_TRY_ASSIGN(PackReport made,
                          make_bundle(of_one, one, signer.get(), build.find_donor(one.out, encoder), stop, console));
        made.seconds = seconds_since(report.packed.empty() ? start : begun);
        finished.push_back(
            {.path = one.out, .stamp = {}, .bundle = made.written.bundle, .layout = made.written.layout});
        report.packed.push_back(std::move(made));
        return ok();
    };
    if (planned.parts.empty())
        FARDEL_TRY(make(job.pack, planned.plan));
    else
        FARDEL_TRY(run_parts(job.pack, std::move(planned.parts), make));
    report.packed.front().scan = std::move(planned.report);
    report.packed.front().idle_rules = std::move(planned.idle_rules);
    report.seconds = seconds_since(start);
    FARDEL_TRY(build.finish(encoder, std::move(finished), summary_of(report, {})));
    return tell(report, {}, job.pack, console);
}

}  // namespace fardel
