// Runs the jobs of a graph: each once, when its inputs are available, as many at a time as there are threads.
//
// Results are taken from the cache if it has them, or from a run that an earlier build has begun; results of jobs that
// ran are added to the cache. Jobs that are discovered while others run join the queue. After the first failure,
// running jobs are finished and no other job is started; the failure is returned, and the results so far stay in the
// cache. If the queue is asked to stop, it returns at once, and its runs go on.
#pragma once

#include "job_runs.h"

#include <fardel/base/result.h>
#include <fardel/cache/derived_cache.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/ids.h>
#include <fardel/packer/build_log.h>
#include <fardel/packer/job_graph.h>
#include <fardel/packer/job_run.h>
#include <fardel/sources/observed_path.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fardel {

struct FileContent {
    AssetId asset;
    std::uint64_t size_bytes = 0;
    std::shared_ptr<const BlobSource> blob;
    std::string content_type;
};

using FileContents = IndexedList<FileContent, FileIndex>;

struct JobQueueOptions {
    JobEnvironment environment;                 // of every job; `stop` is that of the queue
    std::shared_ptr<const JobScratch> scratch;  // that of the environment
    std::shared_ptr<DerivedCache> cache;        // not nullptr
    RunningJobs::State* running = nullptr;      // not nullptr; what it has is taken over, or ended if it is not needed
    unsigned jobs = 0;                          // jobs that run at a time, and threads; 0: one per core
    std::optional<std::uint64_t> memory_bytes;  // that jobs which run at a time may need; unset: what the machine has
    // Has other machines run the jobs of these tickets (farm_job.h), and returns when they are done with them, whatever
    // came of each. Empty: every job runs here.
    std::function<Status(const std::vector<BuildKey>& tickets)> run_on_farm;
    // Called from any of the threads, one at a time.
    std::function<void(std::uint64_t jobs)> sending;  // to other machines
    std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

// A reference in a file, as reported by the job that made the file.
struct FileReference {
    FileIndex file{};
    FoundReference reference;
};

// Paths that a job looked for besides its declared inputs.
struct FoundPaths {
    JobIndex job{};
    std::vector<std::string> paths;
};

struct JobsRun {
    FileContents contents;                  // one per file of the graph
    std::vector<ObservedPath> seen;         // paths that jobs looked for besides their inputs; sorted
    std::vector<FileReference> references;  // by file
    std::vector<FoundPaths> found;          // by job
    std::map<JobIndex, LoggedJob> logged;
    std::vector<std::string> logs;  // output of programs, under the job's name; in the graph's order
    std::uint64_t run = 0;
    std::uint64_t from_cache = 0;
    std::uint64_t sent = 0;              // to other machines
    std::uint64_t returned = 0;          // of those, jobs whose results came back; they count as from_cache
    std::vector<std::string> different;  // jobs whose bytes differ from an earlier run with the same key
};

// `contents`: one per source of the graph. Errors: those of the jobs, with the job that failed; conflict (jobs that
// wait for each other, or two jobs that make one name); those of the cache's first layer; cancelled.
Result<JobsRun> run_jobs(JobGraph& graph, FileContents contents, const JobQueueOptions& options);

}  // namespace fardel
