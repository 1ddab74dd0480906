// Menus name files by macros that the headers define which they include. Scanners read one file each, so these
// references are found when all files have been scanned.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/packer/asset_scan.h>

#include <span>

namespace fardel {

// Adds to each asset's references those of its `by_macro` whose macros are defined in the files of the plan that it
// names as scripts, directly or through others: the last one that it names comes first, and each file's own definitions
// before those of the files that it names. References to other macros are dropped. Deterministic; pure. Error: limit
// (more than 2^24 look-ups of macros and of included files in all).
Status add_references_by_macros(const BundlePlan& plan, std::span<AssetScan> scans);

}  // namespace fardel
