#include "job_runs.h"

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

bool has_ended(const std::shared_ptr<JobRun>& run) { return run->result.has_value(); }

}  // namespace

void run_here(RunningJobs::State& state, JobRun& run, const ProcessorJob& job, JobEnvironment environment,
              std::shared_ptr<const DerivedCache> cache) {
    environment.stop = run.stop.get_token();
    Result<JobResult> result = environment.stop.stop_requested()
                                   ? Result<JobResult>(Error(ErrorCode::cancelled, "stopped"))
                                   : run_job(job, environment);
    cache.reset();
    if (!result)
        run.scratch.reset();  // there are no outputs, and a run that was cancelled may be kept for long
    // Notified with the lock: as soon as the result shows, the run and the state may be destroyed.
    const std::lock_guard lock(state.mutex);
    run.result = std::move(result);
    state.changed.notify_all();
}

// ---- The runs -------------------------------------------------------------------------------------------------------

RunningJobs::State::~State() {
    // All at once, so that their programs end at the same time.
    for (const auto* const list : {&runs, &cancelled})
        for (const std::shared_ptr<JobRun>& run : *list)
            run->stop.request_stop();
    // Without the lock, which each thread takes once more.
    runs.clear();
    cancelled.clear();
}

std::shared_ptr<JobRun> RunningJobs::State::find(const BuildKey& key) const {
    const auto found = std::ranges::find(runs, key, [](const auto& run) { return run->key; });
    return found != runs.end() ? *found : nullptr;
}

bool RunningJobs::State::start(const std::shared_ptr<JobRun>& run, ProcessorJob job, JobEnvironment environment,
                               std::shared_ptr<const DerivedCache> cache) {
    // The thread must not own the run, whose destructor joins it.
    const bool started = run->thread.try_start(
        [this, it = run.get(), job = std::move(job), environment = std::move(environment),
         cache = std::move(cache)]() mutable { run_here(*this, *it, job, std::move(environment), std::move(cache)); });
    runs.push_back(run);
    return started;
}

bool RunningJobs::State::is_ending() const { return !std::ranges::all_of(cancelled, has_ended); }

void RunningJobs::State::forget(const std::shared_ptr<JobRun>& run) { std::erase(runs, run); }

void RunningJobs::State::forget_ended() { std::erase_if(cancelled, has_ended); }

// ---- RunningJobs ----------------------------------------------------------------------------------------------------

RunningJobs::RunningJobs() : state_(std::make_unique<State>()) {}
RunningJobs::~RunningJobs() = default;

std::shared_ptr<RunningJobs> RunningJobs::of_target(const std::string& name) {
    const std::lock_guard lock(targets_mutex_);
    std::shared_ptr<RunningJobs>& target = targets_[name];
    if (!target)
        target = std::make_shared<RunningJobs>();
    return target;
}

bool RunningJobs::is_at_work() const {
    {
        const std::lock_guard lock(targets_mutex_);
        if (std::ranges::any_of(targets_, [](const auto& target) { return target.second->is_at_work(); }))
            return true;
    }
    const std::lock_guard lock(state_->mutex);
    return !std::ranges::all_of(state_->runs, has_ended);
}

void RunningJobs::cancel_all() {
    const std::lock_guard lock(state_->mutex);
    state_->cancel_if([](const JobRun&) { return true; });
}

}  // namespace fardel
