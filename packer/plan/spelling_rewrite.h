// Replaces spellings in text assets by the asset ids or the exact names of their targets. docs/resolving.md,
// "Rewriting".
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/packer/plan_scan.h>
#include <fardel/packer/project_references.h>
#include <fardel/packer/resolve.h>

#include <vector>

namespace fardel {

// Called after resolve_plan. Assets that change get new bytes, ids and sizes in `plan` and `assets`; their references
// in `resolved` get the new spellings, and `resolved.rewritten` counts them. `options`: those of the scan. Errors, all
// with the line in the project: unsupported (a binary format, an asset that only a program scans, a name that the text
// cannot contain), conflict (assets that would have to contain each other's ids, one location that is rewritten in two
// ways, a file that was changed meanwhile), those of the blobs.
Status rewrite_spellings(const ProjectReferences& project, const PlanScanOptions& options, BundlePlan& plan,
                         std::vector<AssetScan>& assets, ResolveResult& resolved);

}  // namespace fardel
