// Rewrites spellings in text assets to what they lead to: its asset id or its exact name. docs/linking.md, "rewrite".
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/format/result.h>
#include <fardel/packer/plan_scan.h>
#include <fardel/packer/project_references.h>
#include <fardel/packer/resolve.h>

#include <cstdint>
#include <vector>

namespace fardel {

// After resolve_plan. Assets that change get new bytes, ids and sizes in `plan`, `sizes` and `scan.ids`;
// `resolved.references` has the new spellings, `resolved.rewritten` how many changed. `options`: as of the scan.
// Errors, all with the project's line: unsupported (a binary format, what only a program scans, a name that cannot
// stand in its text), conflict (assets that would have to hold one another's ids, one place rewritten in two ways, an
// edit meanwhile), those of the blobs.
Status rewrite_spellings(const ProjectReferences& project, const PlanScanOptions& options, BundlePlan& plan,
                         std::vector<std::uint64_t>& sizes, PlanScan& scan, ResolveResult& resolved);

}  // namespace fardel
