// RecordRun: the rule about runs of records that the records of one table claim in another: they follow each other
// without gaps and never overlap.
//
// So walking all runs is linear in the size of the table that they are in. The verifier reports what breaks the rule;
// readers of contents refuse it.
#pragma once

#include <cstdint>

namespace fardel {

enum class RunDefect : unsigned char {
    none,
    beyond,  // the run ends behind the table
    gap,     // records between this run and the one before belong to no run
    overlap
};

class RecordRun {
public:
    explicit RecordRun(std::uint64_t count) : count_(count) {}

    // Judges the next run; after `beyond` and `overlap` it must not be walked.
    RunDefect add(std::uint64_t first, std::uint64_t count) noexcept {
        if (count > count_ || first > count_ - count) {
            known_ = false;
            return RunDefect::beyond;
        }
        if (first < next_)
            return RunDefect::overlap;
        const bool gap = known_ && first != next_;
        next_ = first + count;
        known_ = true;
        return gap ? RunDefect::gap : RunDefect::none;
    }

    // Call it instead of add() for an unknown record, which may have claimed a run.
    void lose() noexcept { known_ = false; }

    // Returns where the next run begins.
    std::uint64_t next() const noexcept { return next_; }
    std::uint64_t count() const noexcept { return count_; }
    // Whether records behind the last run belong to none.
    bool has_rest() const noexcept { return known_ && next_ != count_; }

private:
    std::uint64_t count_;
    std::uint64_t next_ = 0;
    bool known_ = true;
};

}  // namespace fardel
