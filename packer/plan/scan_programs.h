// Scanners of a project that are programs: each is asked about the assets that it matches, several at a time, and what
// it answered about given bytes before is remembered.
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
        bool asked = false;  // now; else it was remembered
    };
    std::vector<Of> found;          // by scanner, then by asset
    std::vector<std::string> logs;  // of those that printed something besides their answer
};

// As scan_plan, whose errors these are. Assets that are told, or too large, are left out.
Result<ProgramFindings> scan_with_programs(const BundlePlan& plan, std::span<const std::uint64_t> sizes,
                                           const PlanScanOptions& options);

}  // namespace fardel
