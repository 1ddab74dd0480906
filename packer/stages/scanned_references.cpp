// Finds the references of a build's assets, and reuses the findings of earlier builds.
#include "build_state.h"
#include "job_scratch.h"

#include <fardel/packer/scan_memory.h>

#include <algorithm>
#include <utility>

namespace fardel {

// New findings are kept even if a reference cannot be resolved.
Result<PackPlan> ProjectBuild::State::plan_bundles(std::vector<ProjectFile> files, ScanReport report) {
    if (!project.references)
        return plan_project_files(project, folder, std::move(files), std::move(report));
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
        FARDEL_TRY(database.forget_idle_scans(memory.used(), std::max<std::size_t>(project.targets.size(), 1)));
        const auto count = [&](bool AssetScan::*flag) {
            return static_cast<std::uint64_t>(std::ranges::count(plan->assets, true, flag));
        };
        counts.with_scanner = count(&AssetScan::has_scanner);
        counts.scanned = count(&AssetScan::was_read);
    }
    FARDEL_TRY(database.commit());
    return plan;
}

}  // namespace fardel
