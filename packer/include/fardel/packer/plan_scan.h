// Scans the assets of a plan for what they name, for resolve_plan. Reads only assets that some scanner knows, and of
// those with a known id only what nobody remembers.
//
// Blobs are read on threads; the result does not depend on them.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/format/ids.h>
#include <fardel/format/result.h>
#include <fardel/packer/job_run.h>
#include <fardel/packer/project_references.h>
#include <fardel/packer/resolve.h>
#include <fardel/packer/scan_memory.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace fardel {

// A program is asked about so many assets and bytes at a time, where its command has ${in}.
inline constexpr std::size_t kScannerFilesMax = 64;
inline constexpr std::uint64_t kScannerBytesMax = std::uint64_t(64) << 20;
inline constexpr std::size_t kScannerAnswerBytesMax = std::size_t(64) << 20;

// A larger asset is not scanned, and told as broken.
inline constexpr std::uint64_t kScannedBytesMax = std::uint64_t(1) << 30;

struct PlanScanOptions {
    unsigned jobs = 0;                                          // threads; 0: one per core
    std::span<const ProjectScanner> scanners;                   // besides the built-in ones
    std::map<std::uint32_t, std::vector<FoundReference>> told;  // asset, what is known already: these are not scanned
    std::string project_file;                                   // that the scanners stand in, for messages
    JobEnvironment place;                                             // where scanners that are programs run
    ScanMemory* memory = nullptr;  // what was found before, and where what is found now goes; may be nullptr
    std::stop_token stop;          // asked to stop: cancelled
};

struct PlanScan {
    std::vector<ScannedAsset> scanned;        // one an asset of the plan
    std::vector<std::optional<AssetId>> ids;  // of those that some scanner knows
    std::uint64_t assets = 0;                 // how many those are
    std::uint64_t assets_scanned = 0;         // of them; of the others all was remembered
    std::vector<std::string> logs;            // what programs printed besides their answers, under which it was
};

// `sizes`: one an asset. Errors: those of the blobs, with the asset's key; conflict (bytes that are not those of the
// asset's known id); malformed (sizes that do not fit, a pattern, a program's answer), those of ask_job with the
// scanner's line, cancelled.
Result<PlanScan> scan_plan(const BundlePlan& plan, std::span<const std::uint64_t> sizes,
                           const PlanScanOptions& options = {});

// Assets with equal bytes are one in the bundle, and may name files of the folders that they are in: what they do not
// agree on is taken out of their link tables.
void leave_agreed_references(const PlanScan& scan, std::vector<std::vector<PlannedReference>>& references);

}  // namespace fardel
