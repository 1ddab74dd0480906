// A build: turns a project into signed bundles, and repeats only the stages whose input has changed.
//
// The state of earlier builds is in ".fardel" beside the project file and may be deleted at any time. A project has one
// build at a time, on one thread. docs/builds.md is the manual.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/signer.h>
#include <fardel/packer/build_outcome.h>
#include <fardel/packer/bundle_output.h>
#include <fardel/packer/pack.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

struct ObservedPath;  // <fardel/sources/path_stamp.h>

// How the bundles of a build are signed.
struct BuildSigning {
    std::string key_path;  // a secret key file; empty: the project's, and unsigned if it names none
    std::string program;   // a program that signs instead of the key file; bundles of an earlier build count as signed
                           // by this program
    std::uint64_t created_s = 0;  // Unix seconds
    // Called when there is something to sign, since it may ask for a passphrase.
    std::function<Result<std::unique_ptr<Signer>>(const std::string& key_path)> open;
};

struct BuildRequest {
    std::string project_file;  // "mygame/fardel.toml"
    std::string output;        // path of the bundle; this and the next two, if empty, come from the project
    std::string name;
    std::string version;
    std::vector<std::string> excludes;  // globs, in addition to the project's
    BuildSigning signing;
    int level = kLevelDefault;
    unsigned jobs = 0;                  // threads; 0: one per core
    bool checksum = false;              // read every source, whatever its stamp
    bool from_scratch = false;          // discard the state of earlier builds
    std::uint32_t verify_per_1000 = 0;  // of 1000 jobs with cached results, how many are run and compared
    std::string build_folder;           // empty: ".fardel" beside the project file
    std::string image_program;          // see JobEnvironment
    std::function<void(const BuildProgress&)> progress;  // called from any thread, one at a time
    std::stop_token stop;
};

// `observed` receives the paths that the build observed, also if it fails; while none of them changes, another build
// would have the same result. Errors: those of read_project, verify_bundle_target, ProjectBuild and write_planned;
// unresolved (nothing to pack, or a missing reference that [link] makes an error).
Result<BuildOutcome> build_project(const BuildRequest& request, std::vector<ObservedPath>* observed = nullptr);

// Builds a bundle of folders and archives, `output.sources`, without a project. Errors: those of pack_sources and
// write_planned; unresolved (nothing to pack).
Result<BuildSummary> build_sources(const PackOptions& options, BundleOutput output, const BuildSigning& signing = {});

}  // namespace fardel
