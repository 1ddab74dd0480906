// A build: from a project to signed bundles in place, with only those stages repeated whose input has changed.
//
// What earlier builds learned is in ".fardel" beside the project file and may be deleted at any time. One build of a
// project at a time, from one thread. docs/builds.md is the manual.
#pragma once

#include <fardel/format/result.h>
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
    std::string program;   // that signs instead of the key file; bundles of an earlier build are those of this program
    std::uint64_t created_s = 0;  // Unix seconds
    // Called once there is something to sign, since it may ask for a passphrase.
    std::function<Result<std::unique_ptr<Signer>>(const std::string& key_path)> open;
};

struct BuildRequest {
    std::string project_file;  // "mygame/fardel.toml"
    std::string output;        // path of the bundle; these three, if empty: the project's
    std::string name;
    std::string version;
    std::vector<std::string> excludes;  // globs, besides the project's
    BuildSigning signing;
    int level = kLevelDefault;
    unsigned jobs = 0;                                   // threads; 0: one per core
    bool checksum = false;                               // every source is read, whatever its stamp
    bool from_scratch = false;                           // forgets what earlier builds left
    std::uint32_t verify_per_1000 = 0;                   // of jobs whose results the cache has: run and compared
    std::string build_folder;                            // empty: ".fardel" beside the project file
    std::string image_program;                           // as JobEnvironment has it
    std::function<void(const BuildProgress&)> progress;  // from any thread, one at a time
    std::stop_token stop;
};

// `observed`: receives the paths that the build looked at, also if it fails; as long as none of them changes, another
// build would find the same. Errors: those of read_project, verify_bundle_target, ProjectBuild and write_planned;
// unresolved (nothing to pack; a missing reference that [link] makes an error).
Result<BuildOutcome> build_project(const BuildRequest& request, std::vector<ObservedPath>* observed = nullptr);

// The bundle of folders and archives, `output.sources`, without a project. Errors: those of pack_sources and
// write_planned; unresolved (nothing to pack).
Result<BuildSummary> build_sources(const PackOptions& options, BundleOutput output, const BuildSigning& signing = {});

}  // namespace fardel
