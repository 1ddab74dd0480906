// RunningJobs: runs of jobs that outlive the build which began them, for programs that build a project again after each
// edit.
//
// A build that is asked to stop leaves its runs here, and the next one takes over those whose keys are still wanted and
// ends the others. Results stay until a build has put them into the cache. For one project, and used by one of its
// builds at a time; the functions from any thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace fardel {

class RunningJobs {
public:
    RunningJobs();
    // Ends all runs with their programs, and waits for that.
    ~RunningJobs();
    RunningJobs(const RunningJobs&) = delete;
    RunningJobs& operator=(const RunningJobs&) = delete;

    // Those of one target of a project that has several: its builds end what they do not need, which others may need.
    // The same object for each call with that name.
    std::shared_ptr<RunningJobs> of_target(const std::string& name);

    // Whether a run, of a target as well, has not ended yet and was not cancelled.
    bool is_at_work() const;
    // Ends all runs and forgets their results; not those of targets. Does not wait.
    void cancel_all();

    struct State;  // defined in stages/job_runs.h
    State& state() noexcept { return *state_; }

private:
    std::unique_ptr<State> state_;
    mutable std::mutex targets_mutex_;
    std::map<std::string, std::shared_ptr<RunningJobs>> targets_;
};

}  // namespace fardel
