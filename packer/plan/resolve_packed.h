// Resolves the references of planned assets as a project states it: with its scanners, and with rewriting.
#pragma once

#include <fardel/base/result.h>
#include <fardel/packer/pack.h>
#include <fardel/packer/plan_scan.h>
#include <fardel/packer/project_references.h>
#include <fardel/packer/resolve.h>

namespace fardel {

// Scans the planned assets and resolves their references: sets `packed.resolved` and, as `project` states, writes the
// targets into the link tables of the plan and into texts. The profile is that of `options`. The plan consumes what was
// deduced. Errors: those of scan_plan, resolve_plan and rewriting: unsupported, conflict.
Status resolve_packed(PackPlan& packed, const ResolveOptions& options, PlanScanOptions scan,
                      const ProjectReferences& project);

}  // namespace fardel
