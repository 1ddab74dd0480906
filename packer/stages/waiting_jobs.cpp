#include "waiting_jobs.h"

#include <algorithm>
#include <string_view>

namespace fardel {
namespace {

// What the running jobs take.
struct JobLoad {
    std::size_t jobs = 0;
    std::map<std::string_view, std::size_t> of_processor;  // jobs, by the processor's name
    std::uint64_t memory_bytes = 0;                        // at most the limit
    bool has_oversized = false;                            // one needs more than there is
};

JobLoad measure_load(const RunningJobs::State& runs, std::uint64_t memory_max) {
    JobLoad load;
    runs.for_each_running([&](const JobRun& run) {
        ++load.jobs;
        ++load.of_processor[run.processor];
        load.has_oversized = load.has_oversized || run.memory_bytes > memory_max;
        load.memory_bytes += std::min(run.memory_bytes, memory_max - load.memory_bytes);
    });
    return load;
}

}  // namespace

void WaitingJobs::add(JobIndex index, DueJob due) { jobs_[due.processor].emplace(index, std::move(due)); }

std::optional<std::pair<JobIndex, DueJob>> WaitingJobs::take_startable(const RunningJobs::State& runs) {
    const auto processor = find_startable(runs);
    if (!processor)
        return std::nullopt;
    const auto of_processor = jobs_.find(*processor);
    auto first = of_processor->second.extract(of_processor->second.begin());
    if (of_processor->second.empty())
        jobs_.erase(of_processor);
    return std::pair(first.key(), std::move(first.mapped()));
}

// Returns the processors that have waiting jobs, in the order of their first jobs: all jobs of a processor need the
// same.
std::vector<ProcessorIndex> WaitingJobs::processors() const {
    std::vector<ProcessorIndex> processors;
    for (const auto& [processor, jobs] : jobs_)
        processors.push_back(processor);
    std::ranges::sort(processors, {}, [&](ProcessorIndex it) { return jobs_.at(it).begin()->first; });
    return processors;
}

// Returns the processor whose first job is the lowest for which there is room. None that needs memory overtakes another
// that waits for memory, or a large one would wait until all small ones have ended.
std::optional<ProcessorIndex> WaitingJobs::find_startable(const RunningJobs::State& runs) const {
    const JobLoad load = measure_load(runs, memory_max_);
    if (jobs_.empty() || load.jobs >= running_max_ || load.has_oversized)
        return std::nullopt;
    bool memory_is_awaited = false;
    for (const ProcessorIndex index : processors()) {
        const Processor& processor = jobs_.at(index).begin()->second.job.processor;
        const auto running = load.of_processor.find(processor.name);
        if (processor.at_once != 0 && running != load.of_processor.end() && running->second >= processor.at_once)
            continue;
        if (processor.memory_bytes == 0)
            return index;
        if (memory_is_awaited)
            continue;
        // What is larger than everything runs alone, and once it is due, nothing begins before it.
        const bool is_oversized = processor.memory_bytes > memory_max_;
        if (is_oversized ? load.jobs == 0 : processor.memory_bytes <= memory_max_ - load.memory_bytes)
            return index;
        if (is_oversized)
            return std::nullopt;
        memory_is_awaited = true;
    }
    return std::nullopt;
}

}  // namespace fardel
