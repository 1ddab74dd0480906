// The packer: reads folders and legacy archives and returns the plan of one bundle, which write_bundle
// (bundle_writer.h) writes.
//
// Every entry becomes an asset and a published name. Only the names of each source and the first bytes of each entry
// are read. The plan's blobs read the rest when the bundle is written, and report a file that changed in between
// (conflict).
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/bundle_version.h>
#include <fardel/format/requirement.h>
#include <fardel/packer/asset_scan.h>
#include <fardel/packer/resolve.h>
#include <fardel/packer/split_plan.h>
#include <fardel/sources/source_scan.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fardel {

struct PackOptions {
    std::string name;  // of the bundle, a well-formed name: trust policies match it
    BundleVersion version;
    std::vector<Requirement> requirements;  // a name once
    std::vector<PlannedMetadata> metadata;  // of the bundle; without name, version and requirements
    ScanOptions scan{.excludes = usual_excludes(), .observes_files = false};
    std::vector<std::string> allowed_secrets;  // names of entries that are packed though they look secret
};

// Members marked "with [link]" are empty unless resolve_packed was called.
struct PackPlan {
    BundlePlan plan;
    std::vector<AssetFile> files;           // one per asset of the plan
    std::vector<AssetScan> assets;          // with [link]: one per asset of the plan, with its references
    ScanReport report;                      // entries of the sources that the bundle will not contain
    std::optional<ResolveResult> resolved;  // with [link]
    std::vector<std::string> scan_logs;     // with [link]: output of scanners that are programs
    std::vector<SplitPart> parts;           // of a project with [split]: replaces `plan`; empty: one bundle
    std::vector<std::string> idle_rules;    // rules of a project that match nothing, "fardel.toml:7: **/*@hd.png"
    // With a target: names that have variants, but none that its players can choose.
    std::vector<std::string> names_not_chosen;
};

// Errors: malformed (an option, no source), those of scan_sources, denied (an entry is secret: secret_files.h), and
// corrupt, denied, conflict or io from an entry that cannot be read.
Result<PackPlan> pack_sources(std::span<const std::string> sources, const PackOptions& options);

// Scans the planned assets with the built-in scanners and resolves their references: sets `packed.resolved`. The plan
// consumes what was deduced, and gets link tables if `link_tables` is set. Errors: those of the blobs and of
// resolve_plan.
Status resolve_packed(PackPlan& packed, const ResolveOptions& options, bool link_tables = true);

}  // namespace fardel
