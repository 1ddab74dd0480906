// The runs of RunningJobs, as the queue of a build sees them.
#pragma once

#include "job_scratch.h"

#include <fardel/base/parallel.h>
#include <fardel/cache/derived_cache.h>
#include <fardel/packer/job_run.h>
#include <fardel/packer/running_jobs.h>
#include <fardel/sources/observed_path.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace fardel {

struct JobRun {
    BuildKey key;
    Hash job;                     // job_digest() of the job that it is a run of
    bool was_discovered = false;  // its source was an output that another job discovered
    // Of its processor; the key has the name alone.
    std::string processor;
    std::chrono::seconds timeout{0};
    std::uint64_t memory_bytes = 0;
    std::vector<ObservedPath> code;             // the program and its code, as they were before they were hashed
    std::vector<ObservedPath> found_before;     // what earlier runs with the key found, as it was before the start
    std::shared_ptr<const JobScratch> scratch;  // has the outputs, too; nullptr once the run has failed
    std::stop_source stop;
    std::optional<Result<JobResult>> result;  // set when it has ended
    WorkerThreads thread;                     // last, so that it ends before other members are destroyed
};

struct RunningJobs::State {
    std::mutex mutex;  // guards the runs, and the queue of the build that uses them
    std::condition_variable changed;
    std::vector<std::shared_ptr<JobRun>> runs;       // also ended ones, until their results are in the cache
    std::vector<std::shared_ptr<JobRun>> cancelled;  // until they have ended

    ~State();

    // ---- Called with the lock.

    std::shared_ptr<JobRun> find(const BuildKey& key) const;
    // Starts the run in a thread, which holds `cache` while it may read inputs from there; `environment.stop` is not
    // used. Returns false if the system gives no more threads.
    bool start(const std::shared_ptr<JobRun>& run, ProcessorJob job, JobEnvironment environment,
               std::shared_ptr<const DerivedCache> cache);
    // Ends the runs that the function chooses, and forgets them.
    template <class Choice>
    void cancel_if(const Choice& is_chosen) {
        std::erase_if(runs, [&](const std::shared_ptr<JobRun>& run) {
            if (!is_chosen(*run))
                return false;
            run->stop.request_stop();
            cancelled.push_back(run);
            return true;
        });
        forget_ended();
    }
    // Whether a run that was cancelled has not ended yet.
    bool is_ending() const;
    // Forgets a run that has ended.
    void forget(const std::shared_ptr<JobRun>& run);
    // Calls use(run) for each that has not ended, also for those that were cancelled.
    template <class Use>
    void for_each_running(const Use& use) const {
        for (const auto* const list : {&runs, &cancelled})
            for (const std::shared_ptr<JobRun>& run : *list)
                if (!run->result)
                    use(std::as_const(*run));
    }

private:
    void forget_ended();
};

// Runs it in the calling thread, without the lock. Gives up `cache`, whose end may take long, before the run has ended.
void run_here(RunningJobs::State& state, JobRun& run, const ProcessorJob& job, JobEnvironment environment,
              std::shared_ptr<const DerivedCache> cache);

}  // namespace fardel
