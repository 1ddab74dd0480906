// Finds the references of a build's assets, and reuses the findings of earlier builds.
#include "build_state.h"
#include "job_scratch.h"

#include <fardel/packer/scan_memory.h>

#include <algorithm>
#include <utility>

namespace fardel {

void ProjectBuild::State::count_scans(const std::vector<AssetScan>& scans) {
    for (const AssetScan& scan : scans)
        if (scan.has_scanner && scan.id)
            scanned[*scan.id] |= scan.was_read;
    counts.with_scanner = scanned.size();
    counts.scanned =
        static_cast<std::uint64_t>(std::ranges::count_if(scanned, [](const auto& one) { return one.second; }));
}

Status ProjectBuild::State::forget_idle_scans(const std::vector<Hash>& used) {
    scans_used.insert(used.begin(), used.end());
    return database.forget_idle_scans({scans_used.begin(), scans_used.end()},
                                      std::max<std::size_t>(project.targets.size(), 1));
}

// New findings are kept even if a reference cannot be resolved.
Result<PackPlan> ProjectBuild::State::plan_bundles(std::vector<ProjectFile> files, ScanReport report) {
    if (!project.references) {
        FARDEL_TRY(forget_idle_scans({}));
        FARDEL_TRY(database.commit());
        return plan_project_files(project, folder, std::move(files), std::move(report));
    }
    FARDEL_TRY_ASSIGN(auto known, database.read_scans());
    ScanMemory memory(std::move(known));
    const bool has_programs =
        std::ranges::any_of(project.scanners, [](const ProjectScanner& scanner) { return scanner.pattern.empty(); });
    PlanScanOptions scan{.jobs = options.jobs, .memory = &memory, .stop = options.stop};
    std::shared_ptr<const JobScratch> scratch;
    if (has_programs) {
        FARDEL_TRY_ASSIGN(scratch, JobScratch::open(options.build_folder));
        FARDEL_TRY_ASSIGN(scan.environment, job_environment(scratch->path()));
    }
    auto plan = plan_project_files(project, folder, std::move(files), std::move(report), std::move(scan));
    scratch.reset();
    FARDEL_TRY(database.write_scans(memory.take_added()));
    if (plan) {
        std::ranges::move(plan->scan_logs, std::back_inserter(logs));
        FARDEL_TRY(forget_idle_scans(memory.used()));
        count_scans(plan->assets);
    }
    FARDEL_TRY(database.commit());
    return plan;
}

}  // namespace fardel
