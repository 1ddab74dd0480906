// Runs the jobs of a graph: each once, when its inputs are there, as many at a time as there are threads.
//
// What the cache has is taken from there; what is run is put there. Jobs that come to light while others run join the
// queue. The first failure lets the others that run end, and is the result; what was made so far stays in the cache.
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

struct JobQueueOptions {
    std::string project_folder;
    std::string scratch_folder;
    std::string image_program;      // as JobPlace has it
    DerivedCache* cache = nullptr;  // not nullptr
    unsigned jobs = 0;              // threads; 0: one a core
    std::stop_token stop;
    std::function<void(std::uint64_t done, std::uint64_t total)> progress;  // from any of the threads, one at a time
};

struct JobsRun {
    std::vector<FileContent> contents;                                 // one a file of the graph
    std::vector<SeenPlace> seen;                                       // what jobs found besides their inputs, by path
    std::vector<std::pair<std::uint32_t, FoundReference>> references;  // file, what the job says that it names
    std::vector<std::pair<std::uint32_t, std::vector<std::string>>>
        found;                      // job, paths of what it looked for besides; by job
    std::vector<std::string> logs;  // what programs printed, under the job's name; in the graph's order
    std::uint64_t run = 0;
    std::uint64_t from_cache = 0;
    std::vector<std::string> different;  // jobs that gave other bytes than before for the same key
};

// `contents`: one a source of the graph. Errors: those of the jobs, with which one it was; conflict (jobs that wait for
// each other, two that make one name); those of the cache's first layer; cancelled.
Result<JobsRun> run_jobs(JobGraph& graph, std::vector<FileContent> contents, const JobQueueOptions& options);

}  // namespace fardel
