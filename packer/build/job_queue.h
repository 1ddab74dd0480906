// Runs the jobs of a graph: each once, when its inputs are there, as many at a time as there are threads.
//
// Results that the cache has are taken from it; results of jobs that ran are put there. Jobs that are discovered while
// others run join the queue. After the first failure the jobs that run are finished and no other is started; the
// failure is the result, and results so far stay in the cache.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/format/ids.h>
#include <fardel/format/result.h>
#include <fardel/packer/job_graph.h>
#include <fardel/sources/path_stamp.h>
#include <fardel/store/derived_cache.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
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
    std::string project_folder;
    std::string scratch_folder;
    std::string image_program;      // as JobEnvironment has it
    DerivedCache* cache = nullptr;  // not nullptr
    unsigned jobs = 0;              // threads; 0: one per core
    std::stop_token stop;
    std::function<void(std::uint64_t done, std::uint64_t total)> progress;  // from any of the threads, one at a time
};

// What a file references, as the job that made it reports.
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
    std::vector<std::string> logs;          // what programs printed, under the job's name; in the graph's order
    std::uint64_t run = 0;
    std::uint64_t from_cache = 0;
    std::vector<std::string> different;  // jobs that gave other bytes than before for the same key
};

// `contents`: one per source of the graph. Errors: those of the jobs, with the job that failed; conflict (jobs that
// wait for each other, two that make one name); those of the cache's first layer; cancelled.
Result<JobsRun> run_jobs(JobGraph& graph, FileContents contents, const JobQueueOptions& options);

}  // namespace fardel
