// Runs the scanners of a project that are programs, each for several of its matching assets at a time. Answers about
// the same bytes are remembered.
#pragma once

#include <fardel/packer/plan_scan.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fardel {

struct ProgramFindings {
    struct Of {
        std::uint32_t asset = 0;
        AssetId id;
        ScanFindings findings;
        bool was_run = false;  // otherwise the findings were remembered
    };
    std::vector<Of> found;          // ordered by scanner, then by asset
    std::vector<std::string> logs;  // of runs that printed something besides their answer
};

// `assets`: one per asset of the plan. Skips assets in job_references and assets that are too large. Errors: as
// scan_plan.
Result<ProgramFindings> scan_with_programs(const BundlePlan& plan, std::span<const AssetScan> assets,
                                           const PlanScanOptions& options);

}  // namespace fardel
