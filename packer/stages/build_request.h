// Completes a BuildRequest from the project that it names, and the project from the request.
#pragma once

#include <fardel/format/trace.h>
#include <fardel/packer/build.h>
#include <fardel/packer/bundle_output.h>
#include <fardel/packer/project_build.h>

#include <memory>
#include <string>

namespace fardel {

struct RequestedProject {
    Project project;     // with the request's name, version and excludes
    std::string folder;  // the folder that the project's paths are relative to; may be empty
    std::string key_path;
    std::string order_path;  // empty: no trace
    Trace order;
    BundleOutput output;
};

// Reads the trace at `path`; an empty path has an empty one. Errors: those of read_trace.
Result<Trace> read_order(const std::string& path);

// Reads the project file. Errors: those of read_project and read_order.
Result<RequestedProject> read_requested_project(const BuildRequest& request);

// Opens the build; discards earlier ones if the request asks for that. Errors: those of ProjectBuild::open; io.
Result<ProjectBuild> open_build(const RequestedProject& requested, const BuildRequest& request);

// Returns nullptr if the bundles stay unsigned. Errors: those of BuildSigning::open; malformed (a key without a way to
// open it).
Result<std::unique_ptr<Signer>> open_signer(const BuildSigning& signing, const std::string& key_path);

// Calls `request.scanned`. Error: unresolved (files are left out, and the project or the request makes that an error).
Status verify_scanned(const ScanReport& report, bool left_out_fails, const BuildRequest& request);

// Errors: unresolved (nothing to pack; or a reference is missing, and [link] makes that an error), limit (over budget).
Status verify_planned(const Project& project, const PackPlan& planned);

// That the sources have nothing to pack, with the first reason. `hint`: what to check.
Error nothing_to_pack(const ScanReport& report, std::string_view hint);

}  // namespace fardel
