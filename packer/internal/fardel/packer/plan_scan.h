// Scans the assets of a plan for references. Reads only assets that have a scanner. An asset whose id is known is not
// read if its findings are remembered.
//
// Blobs are read on several threads; the result does not depend on their number.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/packer/asset_scan.h>
#include <fardel/packer/game_profile.h>
#include <fardel/packer/job_run.h>
#include <fardel/packer/project_references.h>
#include <fardel/packer/resolve.h>
#include <fardel/packer/scan_memory.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// At most so many assets and bytes go to one run of a program whose command has ${in}.
inline constexpr std::size_t kScannerFilesMax = 64;
inline constexpr std::uint64_t kScannerBytesMax = std::uint64_t(64) << 20;
inline constexpr std::size_t kScannerAnswerBytesMax = std::size_t(64) << 20;

// A larger asset is not scanned, and reported as broken.
inline constexpr std::uint64_t kScannedBytesMax = std::uint64_t(1) << 30;

struct PlanScanOptions {
    unsigned jobs = 0;                           // threads; 0: one per core
    std::span<const ProjectScanner> scanners;    // besides the built-in ones
    std::shared_ptr<const GameProfile> profile;  // nullptr: that of no game
    // By asset: the references that its job reported. These assets are not scanned.
    std::map<std::uint32_t, std::vector<FoundReference>> job_references;
    std::string project_file;      // contains the scanners; for messages
    JobEnvironment environment;    // where scanners that are programs run
    ScanMemory* memory = nullptr;  // source of remembered findings and destination of new ones; may be nullptr
    std::stop_token stop;          // a request to stop ends the scan with cancelled
};

struct PlanScan {
    std::vector<AssetScan> assets;  // one per asset of the plan
    std::vector<std::string> logs;  // what scanner programs printed besides their answers, each under its run
};

// Whether a scanner reads such an asset; of no game's profile.
bool has_scanner(std::string_view name, std::string_view content_type);

// `assets`: one per asset of the plan, of which the sizes are read. Errors: those of the blobs, with the asset's key;
// conflict (the bytes do not have the asset's known id); malformed (assets that do not match the plan, a pattern, a
// program's answer), those of ask_job with the scanner's line, cancelled.
Result<PlanScan> scan_plan(const BundlePlan& plan, std::vector<AssetScan> assets, const PlanScanOptions& options = {});

// Assets with equal bytes become one asset of the bundle, but relative spellings in them may mean files of different
// folders: references on which such assets disagree are removed from their link tables.
void leave_agreed_references(std::span<const AssetScan> scans, std::vector<ResolvedAsset>& assets);

}  // namespace fardel
