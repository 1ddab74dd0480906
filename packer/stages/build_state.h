// The state that the stages of one ProjectBuild share.
#pragma once

#include "build_database.h"
#include "job_queue.h"

#include <fardel/cache/derived_cache.h>
#include <fardel/packer/job_graph.h>
#include <fardel/packer/project_build.h>
#include <fardel/packer/project_cache.h>
#include <fardel/packer/project_plan.h>
#include <fardel/packer/readable_project.h>
#include <fardel/sources/source_scan.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct ProjectBuild::State {
    Project project;
    std::string folder;  // of the project file; may be empty
    BuildOptions options;
    MergedCaches caches;  // besides the project's own
    BuildDatabase database;
    std::optional<FinishedBuild> last;

    BuildCounts counts;
    std::vector<ObservedPath> seen;
    Hash planned;                         // digest of the plan
    std::shared_ptr<DerivedCache> cache;  // set once there are jobs; also of jobs that outlive the build
    std::vector<std::string> logs;
    std::vector<std::string> different;
    std::vector<LoggedJob> logged;
    std::vector<ProvenanceSource> sources;
    std::vector<ExplainedJob> explained;  // those that ran
    std::optional<JobGraph> graph;        // of plan(), when its jobs have finished; otherwise of plan_graph()
    std::vector<std::string> origins;     // of the graph's sources
    std::map<AssetId, bool> scanned;      // assets with a scanner → whether one read them
    std::set<Hash> scans_used;            // keys of findings that the scan of the sources used
    std::set<std::string> job_positions;  // of the rules that have jobs
    std::vector<std::string> warnings;
    std::string farm_problem;                           // see BuildOutcome
    std::string unconfined;                             // see BuildOutcome
    std::shared_ptr<ReadableProject> readable_project;  // set once there are jobs

    // ---- The stages of plan(), in their order; build.cpp.

    // Finds out whether the project's programs run confined. Error: unsupported (they must, and cannot).
    Status verify_confinement();
    // Observes the files besides the sources that determine the result (dependencies, programs, keys), before any is
    // read.
    void observe_inputs();
    // Returns the bytes of each source: remembered if its stamp is unchanged, otherwise read and hashed.
    Result<FileContents> read_dirty_sources(const std::vector<SourceEntry>& entries);
    // Plans the jobs; for processors that follow references, scans the sources. `contents`: one per entry.
    Result<JobGraph> plan_jobs(const std::vector<SourceEntry>& entries, const FileContents& contents);
    // Returns the outputs of all jobs, from the cache or from running the jobs in batches as their inputs become
    // available.
    Result<JobsRun> run_processors(JobGraph& job_graph, FileContents contents);
    // Returns the files that the rules apply to: sources that are kept, and outputs.
    std::vector<ProjectFile> project_files(const JobGraph& job_graph, JobsRun run) const;
    // Scans references (or uses remembered ones), resolves them, and plans the bundles.
    Result<PackPlan> plan_bundles(std::vector<ProjectFile> files, ScanReport report);

    // ---- Functions that the stages use.

    // Sets `graph` and `origins`; runs no job.
    Status plan_graph();
    void keep_origins(std::vector<SourceEntry> entries);
    void report_progress(std::string_view stage, std::uint64_t done, std::uint64_t total) const;
    std::string own_cache_folder() const { return options.build_folder + "/cache"; }
    // Returns the environment of all jobs, which run below `scratch`.
    Result<JobEnvironment> job_environment(const std::string& scratch);
    // Returns JobQueueOptions::run_on_farm; what goes wrong there is kept in farm_problem.
    std::function<Status(const std::vector<BuildKey>& tickets)> farm_below(const std::string& scratch);
    // Whether processors follow references: then the contents of the sources decide what jobs read.
    bool follows_references() const;
    // Counts assets that were scanned, those with equal bytes once.
    void count_scans(const std::vector<AssetScan>& scans);
    // Forgets findings that no scan has used for long. `used`: by the last scan of the build.
    Status forget_idle_scans(const std::vector<Hash>& used);
    // Compares each job that ran with what the database knows of its last result, and notes what is known now.
    Status explain_jobs(const JobGraph& job_graph, std::map<JobIndex, LoggedJob> jobs);
    // Opens the project's own folder of derived data, which is created if it is absent. Another cache that cannot be
    // opened is skipped, and the reason is a warning. Errors: those of the own folder.
    Status open_cache();
};

// The name under which the database stores the paths that a job looked for, and those paths.
std::string found_note_name(const JobGraph& graph, JobIndex job);
std::vector<std::string> decode_paths(std::string_view note);

}  // namespace fardel
