// RunCheck: checks that the runs of records which one table claims in another follow each other without gaps and cover
// all of it.
//
// Runs for which take() returns true never overlap, so walking all of them is linear in the size of the table.
#pragma once

#include "verify_findings.h"

#include <cstdint>
#include <string>

namespace fardel {

class RunCheck {
public:
    RunCheck(VerifierRule rule, TableKind of, std::uint64_t count, VerifyFindings& findings)
        : rule_(rule), of_(of), count_(count), findings_(findings) {}

    // Checks the next run, which record `record` of `table` claims. False: there is a finding, and the run must not be
    // walked.
    bool take(TableKind table, std::uint64_t record, std::uint64_t first, std::uint64_t count) {
        if (count > count_ || first > count_ - count) {
            findings_.add(rule_, record_location(table, record),
                          "it claims records " + format(first, count) + " of " + name() + ", which has " +
                              std::to_string(count_));
            known_ = false;
            return false;
        }
        if (known_ ? first != next_ : first < next_) {
            findings_.add(rule_, record_location(table, record),
                          "it claims records " + format(first, count) + " of " + name() + "; its run begins at " +
                              std::to_string(next_));
            if (first < next_)
                return false;
        }
        next_ = first + count;
        known_ = true;
        return true;
    }

    // Call it instead of take() for an unknown record, which may have claimed a run.
    void lose() noexcept { known_ = false; }

    // Call it after the last record: adds a finding if unclaimed records are left.
    void finish() {
        if (known_ && next_ != count_)
            findings_.add(rule_, record_location(of_, next_),
                          "this record and all after it, up to " + std::to_string(count_ - 1) + ", belong to no run");
    }

private:
    std::string name() const { return std::string(table_name(of_)); }
    static std::string format(std::uint64_t first, std::uint64_t count) {
        return std::to_string(first) + " to " + std::to_string(first + count - 1);
    }

    VerifierRule rule_;
    TableKind of_;
    std::uint64_t count_;
    VerifyFindings& findings_;
    std::uint64_t next_ = 0;
    bool known_ = true;
};

}  // namespace fardel
