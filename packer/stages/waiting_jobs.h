// WaitingJobs: jobs of the queue that have to run and were not started yet, and which of them is the next.
//
// The lowest one that has room: below the number of jobs at a time, the limit of its processor, and the memory.
#pragma once

#include "due_job.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace fardel {

class WaitingJobs {
public:
    // `memory_max`: bytes that jobs which run at a time may need.
    WaitingJobs(std::size_t running_max, std::uint64_t memory_max)
        : running_max_(running_max), memory_max_(memory_max) {}

    bool empty() const noexcept { return jobs_.empty(); }
    void add(JobIndex index, DueJob due);
    // Returns the next job if there is room beside the runs, and forgets it.
    std::optional<std::pair<JobIndex, DueJob>> take_startable(const RunningJobs::State& runs);

private:
    std::vector<ProcessorIndex> processors() const;
    std::optional<ProcessorIndex> find_startable(const RunningJobs::State& runs) const;

    std::size_t running_max_;
    std::uint64_t memory_max_;
    std::map<ProcessorIndex, std::map<JobIndex, DueJob>> jobs_;  // no list is empty
};

}  // namespace fardel
