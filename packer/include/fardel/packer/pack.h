// The packer: folders and legacy archives in, the plan of one bundle out; write_bundle (bundle_writer.h) does the rest.
//
// Every entry becomes an asset and a published name. Reads each source's names and the first bytes of each entry; the
// plan's blobs read the rest when the bundle is written, and notice a file that was changed in between (conflict).
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/format/result.h>
#include <fardel/packer/plan_scan.h>
#include <fardel/packer/resolve.h>
#include <fardel/packer/split_plan.h>
#include <fardel/sources/source_scan.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct PackOptions {
    std::string name;     // of the bundle, a well-formed name: what trust policies match
    std::string version;  // letters, digits and . + - _ ~ ; may be empty
    std::vector<std::string> excludes = usual_excludes();
};

struct PackPlan {
    BundlePlan plan;
    std::vector<std::uint64_t> sizes;  // raw bytes of each asset of the plan
    ScanReport report;                 // what the sources hold and the bundle will not
    std::optional<ResolveResult>
        resolved;  // of a project with [link]: what the plan's references, consumes and audit come from
    std::vector<ScannedAsset> scanned;      // of such a project, what each asset of the plan names
    std::uint64_t assets_with_scanner = 0;  // of such a project
    std::uint64_t assets_scanned = 0;       // of those; what the others name was known
    std::vector<std::string> scan_logs;     // what scanners that are programs printed
    std::vector<SplitPart> parts;           // of a project that is split: what becomes of `plan`; empty: one bundle
    std::vector<std::string> idle_rules;    // of a project: rules that match nothing, "fardel.toml:7: **/*@hd.png"
};

// Errors: malformed (an option, no source at all), those of scan_sources, and corrupt, denied, conflict or io from an
// entry that cannot be read.
Result<PackPlan> pack_sources(std::span<const std::string> sources, const PackOptions& options);

// Scans what is planned and resolves it, into `packed.resolved` and, as `project` says, into the link tables of its
// plan and into texts; the plan consumes what was deduced. Errors: those of scan_plan, resolve_plan and rewriting:
// unsupported, conflict.
Status resolve_packed(PackPlan& packed, const ResolveOptions& options, const PlanScanOptions& scan,
                      const ProjectReferences& project = {});

}  // namespace fardel
