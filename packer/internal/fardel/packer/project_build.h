// ProjectBuild: the stages of a build up to the plan, for build_project and for tools that write nothing.
#pragma once

#include <fardel/base/result.h>
#include <fardel/cache/derived_cache.h>
#include <fardel/format/bundle.h>
#include <fardel/format/ids.h>
#include <fardel/format/trace.h>
#include <fardel/packer/build.h>
#include <fardel/packer/build_log.h>
#include <fardel/packer/cache_settings.h>
#include <fardel/packer/job_graph.h>
#include <fardel/packer/pack.h>
#include <fardel/packer/project.h>
#include <fardel/packer/provenance.h>
#include <fardel/sources/observed_path.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::string_view kBuildFolder = ".fardel";

struct FinishedBundle {
    std::string path;
    PathStamp stamp;
    BundleId bundle;
    LayoutId layout;
};

// The record of a build that the build database keeps for the next one.
struct FinishedBuild {
    Hash options;                    // BuildOptions::options
    Hash plan;                       // digest of the plan
    Hash encoder;                    // digest of the encoder and its settings
    std::vector<ObservedPath> seen;  // the paths that the build observed
    std::vector<FinishedBundle> bundles;
    BuildSummary summary;
};

struct BuildOptions {
    std::string target;                // identifies one of the project's builds: the bundle's path
    std::string build_folder;          // empty: ".fardel" beside the project file
    Hash options;                      // of everything besides the sources that determines the result
    std::vector<std::string> watched;  // further files that determine the result, such as a key
    Trace order;                       // see BuildRequest::order; part of `options`, too
    std::vector<std::string> secrets;  // files that no job may read
    std::string image_program;         // see JobEnvironment
    bool checksum = false;             // read every source, whatever its stamp
    bool from_scratch = false;         // use nothing that earlier builds of this user left
    std::string farm;                  // see BuildRequest
    bool all_jobs = false;  // look at every job, also if the last build is up to date, and keep what it was made of
    unsigned jobs = 0;      // threads; 0: one per core
    std::optional<std::uint64_t> memory_bytes;  // see BuildRequest
    std::uint32_t verify_per_1000 = 0;          // of 1000 jobs with cached results, how many are run and compared
    std::uint32_t verify_seed = 0;              // see BuildRequest
    CacheLimits own_cache;                      // before those of the project
    CacheRequest caches;                        // see BuildRequest
    // Opens the key that signs records of the derived-data cache, when there are jobs; empty: they stay unsigned.
    std::function<Result<std::unique_ptr<Signer>>()> open_cache_signer;
    std::function<void(const BuildProgress&)> progress;  // called from any thread, one at a time
    std::shared_ptr<RunningJobs> running;                // see BuildRequest
    std::stop_token stop;
};

// The files and the jobs that make them, computed without building.
struct BuildGraph {
    JobGraph graph;
    IndexedList<std::vector<std::string>, JobIndex> found;  // paths that each job looked for when it last finished
    // Of each source the same kind of path: relative to the project's folder. Sources are the first files of the graph.
    std::vector<std::string> paths;
};

class ProjectBuild {
public:
    // `folder`: that of the project file; may be empty. Creates the build folder. Errors: busy (another build of the
    // project is running), denied, no_space, io.
    static Result<ProjectBuild> open(Project project, std::string folder, BuildOptions options);
    ProjectBuild(ProjectBuild&&) noexcept;
    ~ProjectBuild();

    // After plan(): the graph of that build, with the outputs that jobs discovered. Before it, finds the sources but
    // runs no job; reads sources only for processors that follow references. Errors: those of scan_sources and
    // JobGraph::plan; when it reads, also those of scan_plan and resolve_plan.
    Result<BuildGraph> graph();

    // Returns the last build if another build now would have the same result: its observed paths and the bundles that
    // it wrote are unchanged. Otherwise `why` tells what is different.
    std::optional<FinishedBuild> find_up_to_date(std::string& why) const;
    // Errors: those of plan_project_files and of the project's jobs (job_run.h); unsupported (the project requires a
    // sandbox).
    Result<PackPlan> plan();
    // The counts, logs and warnings of plan(); the rest is empty.
    BuildOutcome outcome() const;
    // Of plan(), in the graph's order; empty without BuildOptions::all_jobs.
    const std::vector<LoggedJob>& logged() const;
    // Of plan(): the sources of the project; likewise.
    const std::vector<ProvenanceSource>& sources() const;
    // Returns the paths that plan() observed, also if it failed.
    const std::vector<ObservedPath>& seen() const;
    // Returns the last build if plan() produced the same plan again and the bundles are unchanged.
    std::optional<FinishedBuild> find_same(const Hash& encoder) const;
    // Returns the bundle at `path` if the last build wrote it there with this encoder; otherwise none.
    BundleDonor find_donor(const std::string& path, const Hash& encoder) const;

    // Trims the folders of derived data that the project or the options limit, if that is due, and reports what was
    // removed and what failed. Takes a few seconds at most for each.
    std::vector<CacheTrimmed> trim_caches() const;
    // Records the build for the next one, with the current stamps of the bundles.
    Status finish(const Hash& encoder, std::vector<FinishedBundle> bundles, BuildSummary summary);

    struct State;  // defined in build/

private:
    explicit ProjectBuild(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

// Builds targets of a project one after the other, as build_project() does each: those of these names, or all; a
// project without targets is built as one. What one build has read and made serves the next ones; the signer is opened
// once. `built` is called after each one, and may end it. Also sets the paths that the builds observed, even if one
// fails: while none of them changes, other builds would have the same results. `request.target` does not count. Errors:
// those of build_project, for the first target that fails; earlier ones stay built.
Status build_targets(const BuildRequest& request, const std::vector<std::string>& targets,
                     const std::function<Status(const BuildOutcome&)>& built, std::vector<ObservedPath>& observed);

}  // namespace fardel
