#include "pack_job.h"
#include "console/clock.h"
#include "console/command_line.h"
#include "console/figures.h"
#include "console/json.h"
#include "console/progress_bar.h"
#include "console/temporary_folder.h"
#include "pack_report.h"
#include "pack_target.h"
#include "resolve_report.h"
#include "split_job.h"

#include <fardel/base/interrupt.h>
#include <fardel/format/envelope.h>
#include <fardel/packer/build.h>
#include <fardel/packer/project_path.h>
#include <fardel/packer/project_plan.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

namespace fardel {
namespace {

Status sign(StagedBundle& staged, const PackJob& job, std::uint64_t created, Signer& signer) {
    Statement statement = statement_about(staged.summary());
    statement.name = job.name;
    statement.version = job.version;
    statement.created_s = created;
    FARDEL_TRY_ASSIGN(const Envelope envelope, sign_statement(statement, signer));
    return staged.append(envelope);
}

}  // namespace

Result<std::unique_ptr<Signer>> open_signer_of(const PackJob& job) {
    if (job.key.key_path.empty())
        return std::unique_ptr<Signer>();
    return open_signer(job.key);
}

Result<PackReport> make_bundle(const BundlePlan& plan, const PackJob& job, Signer* signer,
                               std::shared_ptr<const Bundle> donor, std::stop_token stop, Console& console) {
    ProgressBar bar(console, "packing");
    WriteOptions options{.level = static_cast<int>(job.level),
                         .jobs = static_cast<unsigned>(job.jobs),
                         .progress = {},
                         .stop = std::move(stop),
                         .donor = std::move(donor)};
    options.progress = [&](const WriteProgress& progress) {
        bar.show(progress.assets_done, progress.assets_total,
                 fmt::format("{} of {}, {}", format_count(progress.assets_done),
                             format_count(progress.assets_total, "asset", "assets"), format_size(progress.raw_bytes)));
    };
    FARDEL_TRY_ASSIGN(const std::uint64_t created, created_s());
    FARDEL_TRY_ASSIGN(auto file, stage_file(job.out));
    FARDEL_TRY_ASSIGN(StagedBundle staged, write_bundle(plan, std::move(file), options));
    if (signer)
        FARDEL_TRY(sign(staged, job, created, *signer));
    FARDEL_TRY(staged.commit());
    PackReport report{.file = job.out, .name = job.name, .version = job.version};
    report.written = staged.summary();
    report.file_bytes = report.written.file_bytes;
    if (signer)
        report.signed_by = signer->public_key();
    return report;
}

void add_job_options(CommandLine& line, PackJob& job) {
    line.number("--level", job.level, 1, 19, "Compression, 1 (fast) to 19 (small); 9 when left out");
    line.number("-j,--jobs", job.jobs, 0, 256, "Threads; one a core when left out. The bundle is the same");
    line.flag("--json", job.json, "Report as JSON, with complete lists");
}

Result<Exit> run_job(const PackJob& job, const std::function<Result<PackPlan>()>& plan, Console& console) {
    const auto start = std::chrono::steady_clock::now();
    FARDEL_TRY(verify_pack_target(job.out, job.sources));
    FARDEL_TRY_ASSIGN(const std::unique_ptr<Signer> signer, open_signer_of(job));
    FARDEL_TRY_ASSIGN(PackPlan planned, plan());

    std::vector<PackReport> reports;
    {
        const Interrupt interrupt;  // from here on there is something to clean up
        const auto make = [&](const PackJob& one, const BundlePlan& of_one) -> Status {
            const auto begun = std::chrono::steady_clock::now();
            FARDEL_TRY_ASSIGN(PackReport report,
                              make_bundle(of_one, one, signer.get(), nullptr, interrupt.token(), console));
            report.seconds =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - (reports.empty() ? start : begun))
                    .count();
            reports.push_back(std::move(report));
            return ok();
        };
        if (planned.parts.empty())
            FARDEL_TRY(make(job, planned.plan));
        else
            FARDEL_TRY(run_parts(job, std::move(planned.parts), make));
    }
    reports.front().scan = std::move(planned.report);
    reports.front().idle_rules = std::move(planned.idle_rules);
    Json told = json_of(reports);
    if (planned.resolved)
        told["link"] = references_json(*planned.resolved);
    FARDEL_TRY(console.write(job.json ? format_json(told) + "\n"
                                      : format_reports(reports, console) +
                                            (planned.resolved ? format_references(told["link"], console) : "")));
    return Exit::fine;
}

Result<OpenProject> open_project(const std::string& path) {
    FARDEL_TRY_ASSIGN(Project project, read_project(path));
    return OpenProject{.project = std::move(project), .folder = std::filesystem::path(path).parent_path().string()};
}

Status complete_job(OpenProject& open, PackJob& job, const std::vector<std::string>& excludes) {
    Project& project = open.project;
    if (!job.name.empty())
        project.name = job.name;
    if (!job.version.empty()) {
        FARDEL_TRY_ASSIGN(project.version, BundleVersion::parse(job.version));
    }
    if (job.key.key_path.empty() && !project.key.empty())
        job.key.key_path = path_in_project(open.folder, project.key);
    if (job.out.empty())
        job.out = path_in_project(open.folder, output_of(project));
    project.excludes.insert(project.excludes.end(), excludes.begin(), excludes.end());
    job.name = project.name;
    job.version = project.version.text();
    for (const std::string& source : project.sources)
        job.sources.push_back(path_in_project(open.folder, source));
    return ok();
}

Status verify_not_empty(const Project& project, const BundlePlan& plan) {
    if (plan.assets.empty() && plan.names.empty())
        return Error(ErrorCode::unresolved,
                     project.file + ": the sources hold nothing that can be packed; check 'sources' and 'exclude'");
    return ok();
}

Status verify_links(const Project& project, const PackPlan& planned) {
    if (!planned.resolved || !project.references || !project.references->missing_fails ||
        planned.resolved->audit.missing.empty())
        return ok();
    constexpr std::size_t kToldMax = 3;
    const auto& missing = planned.resolved->audit.missing;
    std::string told;
    for (std::size_t i = 0; i < std::min(missing.size(), kToldMax); ++i)
        told += (told.empty() ? "" : ", ") + format_missing(missing[i]);
    if (missing.size() > kToldMax)
        told += fmt::format(" and {} more", format_count(missing.size() - kToldMax));
    return Error(
        ErrorCode::unresolved,
        fmt::format("{}: {} missing, which [link] has as an error: {}; 'fardel audit' tells what was tried",
                    printable(project.file), format_count(missing.size(), "reference is", "references are"), told));
}

Result<Exit> run_project_job(OpenProject open, PackJob job, const std::vector<std::string>& excludes,
                             Console& console) {
    FARDEL_TRY(complete_job(open, job, excludes));
    std::optional<TemporaryFolder> build_folder;  // both outlive the plan, whose blobs may be theirs
    std::optional<ProjectBuild> build;
    return run_job(
        job,
        [&]() -> Result<PackPlan> {
            FARDEL_TRY_ASSIGN(build_folder, TemporaryFolder::make());
            FARDEL_TRY_ASSIGN(ProjectBuild opened, ProjectBuild::open(open.project, open.folder,
                                                                      {.target = job.out,
                                                                       .build_folder = build_folder->path(),
                                                                       .jobs = static_cast<unsigned>(job.jobs)}));
            build.emplace(std::move(opened));
            FARDEL_TRY_ASSIGN(PackPlan plan, build->plan());
            FARDEL_TRY(verify_not_empty(open.project, plan.plan));
            FARDEL_TRY(verify_links(open.project, plan));
            return plan;
        },
        console);
}

}  // namespace fardel
