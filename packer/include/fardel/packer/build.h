// A build: turns a project into signed bundles, and repeats only the stages whose input has changed.
//
// The state of earlier builds is in ".fardel" beside the project file and may be deleted at any time. A project has one
// build at a time, on one thread. docs/builds.md is the manual.
#pragma once

#include <fardel/base/result.h>
#include <fardel/cache/cache_statistics.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/format/ids.h>
#include <fardel/format/signer.h>
#include <fardel/format/trust_policy.h>
#include <fardel/packer/references.h>
#include <fardel/sources/scan_report.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

class ProjectReader;
class RunningJobs;

// ---- What is requested ----------------------------------------------------------------------------------------------

struct BuildProgress {
    std::string_view stage;  // "hashing", "processing", "packing"
    std::uint64_t done = 0;
    std::uint64_t total = 0;
    std::uint64_t raw_bytes = 0;  // for "packing"
};

// How the bundles of a build are signed.
struct BuildSigning {
    std::string key_path;  // a secret key file; empty: the project's, and unsigned if it names none
    // What signs instead of the key file, a program or its caller; then there need not be one. Bundles of an earlier
    // build count as signed by it.
    std::string program;
    std::vector<std::string> secret_files;  // further files that no job may read, such as one with a passphrase
    UnixTime created;
    // Called when there is something to sign, since it may ask for a passphrase.
    std::function<Result<std::unique_ptr<Signer>>(const std::string& key_path)> open;
};

// Which layers the derived-data cache has besides those that the project names: docs/derived-cache.md.
struct CacheRequest {
    bool reads_configuration = false;  // the files of the machine and of its user, and the environment, count, too
    std::vector<std::string> layers;   // each "NAME=PATH", or a URL, "off", "on" or "read-only"
    std::string graph;                 // empty: what the configuration chooses
};

struct BuildRequest {
    std::string project_file;  // "mygame/fardel.toml"
    std::string target;        // of the project, as its file names it; empty: the only one, or none
    std::string output;        // path of the bundle; this and the next two, if empty, come from the project
    std::string name;
    std::string version;
    std::vector<std::string> excludes;         // globs, in addition to the project's
    std::vector<std::string> allowed_secrets;  // names of files that are packed though they look secret, likewise
    // What the bundles require by name, "studio/base >= 1.0" (docs/installing.md): in addition to the project's, and
    // instead of its requirements of the same names.
    std::vector<std::string> requirements;
    // Of the bundle; each instead of what the project states under the same key. Keys are those that are stored
    // ("licence"), without name, version and requirements.
    std::vector<PlannedMetadata> metadata;
    std::vector<std::string> follow_links;  // folders into which links of the sources may lead, likewise
    std::string names;                      // how names in the sources are read, "utf-8"; empty: as the project says
    bool strict = false;  // a file that nobody meant to leave out (count_lost) fails the build, whatever the project
    std::string order;    // a trace (docs/traces.md), whose assets lie together in the file
    BuildSigning signing;
    // What is signed has to be what this policy lets its signer bring, or nothing is written. nullptr: anything.
    std::shared_ptr<const TrustPolicy> policy;
    BuildSigning cache_signing;  // of records of the derived-data cache; no key: unsigned; `created` is unused
    std::optional<BundlePurpose> purpose;  // unset: as the project says, or balanced
    int level = kLevelDefault;             // of `balanced`
    unsigned jobs = 0;                     // threads; 0: one per core
    // What jobs that run at a time may need together, as their processors state it; unset: the memory of the machine.
    std::optional<std::uint64_t> memory_bytes;
    bool checksum = false;              // read every source, whatever its stamp
    bool from_scratch = false;          // discard the state of earlier builds
    std::uint32_t verify_per_1000 = 0;  // of 1000 jobs with cached results, how many are run and compared
    std::uint32_t verify_seed = 0;      // another number chooses other ones
    CacheRequest caches;
    // How much of the project's own folder of derived data the build leaves at its end; unset: as the project says.
    std::optional<std::uint64_t> cache_bytes_max;
    std::optional<std::uint32_t> cache_unused_days;
    // A program of the user that has other machines run jobs (docs/farm.md); its argument is the path of a list of
    // tickets. Never a project's: it runs unconfined. Empty: every job runs here.
    std::string farm;
    std::string log;  // where to write the log of the build (docs/builds.md); then it looks at every job; empty: none
    // Where to write the provenance of the bundles (docs/provenance.md); then it looks at every job; empty: none.
    std::string provenance;
    std::string depfile;        // where to write what the bundles depend on, for other build systems; empty: none
    std::string build_folder;   // empty: ".fardel" beside the project file
    std::string image_program;  // converts pictures; empty: the installed fardel-image
    std::function<void(const BuildProgress&)> progress;  // called from any thread, one at a time
    // Called once with what the sources have and the bundle will not have, before a build that fails for it does.
    std::function<void(const ScanReport&)> scanned;
    // For programs that build again after each edit: jobs that run when `stop` is requested go on there, and the next
    // build with it takes over those that it needs. nullptr: they end with the build.
    std::shared_ptr<RunningJobs> running;
    std::stop_token stop;
};

// ---- What has been built --------------------------------------------------------------------------------------------

struct BuiltBundle {
    std::string path;
    std::string name;
    std::string version;
    BundleWriteSummary written;
    std::optional<PublicKey> signed_by;
    double seconds = 0;  // of the first bundle: time since the build began
};

// Counts of the references of a project with [link].
struct ReferenceSummary {
    std::uint64_t references = 0;
    std::uint64_t resolved = 0;             // of those
    std::uint64_t rewritten = 0;            // assets in which spellings were replaced
    std::vector<MissingReference> missing;  // hard
    std::vector<MissingReference> soft;     // missing, too
    std::vector<BrokenAsset> broken;
    std::vector<RespelledReference> respelled;
    std::vector<std::string> idle_patterns;
};

// The result of a build. The build database keeps it for later builds that have nothing to do.
struct BuildSummary {
    std::vector<BuiltBundle> bundles;  // each one after those that it needs
    ScanReport scan;                   // entries in the sources that no bundle contains
    std::vector<std::string> idle_rules;
    std::vector<std::string> names_not_chosen;  // of which the project's target has no variant
    std::optional<ReferenceSummary> references;
};

struct BuildCounts {
    std::uint64_t sources = 0;
    std::uint64_t sources_read = 0;  // sources that are new or have changed
    std::uint64_t jobs = 0;
    std::uint64_t jobs_run = 0;       // the results of the others came from the cache
    std::uint64_t jobs_sent = 0;      // to the farm
    std::uint64_t jobs_returned = 0;  // of those, jobs that the farm ran; the others ran here
    std::uint64_t with_scanner = 0;   // assets that at least one reference scanner reads
    std::uint64_t scanned = 0;        // of those; the references of the others were remembered
};

// Why a job ran.
enum class RunReason : std::uint8_t {
    changed,    // `changes` name what its key covers and what is different since its last result in this project
    first,      // this project has had no result of it before
    no_result,  // nothing changed, but no layer of the cache has its result any more
    verified,   // to compare its result with that of a layer
};

// A source, parameter, program or other thing that the key of a job covers. `before` or `after` is empty if only one of
// the keys covers such a thing.
struct KeyChange {
    std::string kind;  // "source", "parameter", …: docs/builds.md lists them
    std::string name;
    std::string before;  // a text, or the hash of a file
    std::string after;

    friend bool operator==(const KeyChange&, const KeyChange&) = default;
};

struct ExplainedJob {
    std::string job;  // "fardel.toml:7: processor 'sd' of 'a.png'"
    RunReason reason = RunReason::first;
    std::vector<KeyChange> changes;
};

struct BuildOutcome {
    std::string target;          // path of the bundle; parts of a split one are beside it
    std::string project_target;  // the name of the project's target; empty: it has none
    BuildSummary summary;
    bool up_to_date = false;  // nothing was written; `summary` is that of the build that wrote the bundles
    BuildCounts counts;
    std::vector<std::string> logs;        // output of programs, under the names of their jobs
    std::vector<std::string> warnings;    // caches that could not be opened
    std::string farm_problem;             // why jobs may not have come back from the farm; empty: it succeeded
    std::string unconfined;               // why programs of the project run unconfined; empty: they do not
    std::vector<std::string> different;   // jobs whose bytes differ from an earlier run with the same inputs
    std::string why;                      // what the last build does not cover; empty if it was up to date
    std::vector<ExplainedJob> explained;  // jobs that ran, in the order of the project's graph
    CacheStatistics cache;
    double seconds = 0;
};

// ---- Building -------------------------------------------------------------------------------------------------------

// Builds `project_file`, or one of its targets. Errors: missing, malformed (also: several targets to choose from),
// unsupported (the project); unresolved (nothing to pack; a missing
// reference, or a file that is left out, where that is an error); conflict (a source changed); busy (another build of
// the project runs); denied, limit, no_space, cancelled, io; those of the processors and of the signer.
Result<BuildOutcome> build_project(const BuildRequest& request);

// Builds a bundle of folders and archives without a project; of equal names that of the later source is packed. Counts
// of `request`: output, name, version, excludes, follow_links, names, strict, order, signing, purpose, level, jobs,
// progress, scanned and stop. Errors: as build_project.
Result<BuildSummary> build_sources(std::span<const std::string> sources, const BuildRequest& request);

// ---- Mounting -------------------------------------------------------------------------------------------------------

// MountOptions::projects: mounts show a project as build_project() would bundle it, with its rules, variants and the
// outputs of its jobs, and follow its edits. Jobs run and are remembered as in a build; a mount is `busy` while another
// build of the project runs. `caches`: as of a build.
std::shared_ptr<const ProjectReader> make_project_reader(CacheRequest caches = {});

}  // namespace fardel
