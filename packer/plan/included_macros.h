// Menus name files by macros, which are defined in headers that the menus include. Scanners read one file each, so
// these references are found when all files have been scanned.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/packer/asset_scan.h>

#include <span>

namespace fardel {

// Turns the `by_macro` references of each asset into references. A macro is looked up in the files of the plan that the
// asset names as scripts, directly or through other files: the file that is named last comes first, and a file's own
// definitions come before those of the files that it names. References to macros that are not defined are dropped.
// Deterministic; pure. Error: limit (more than 2^24 look-ups of macros and of included files in all).
Status add_references_by_macros(const BundlePlan& plan, std::span<AssetScan> scans);

}  // namespace fardel
