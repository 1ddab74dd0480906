// RunCheck: that the runs which records claim of another table follow each other without gaps and use it up.
//
// A run that take() lets be walked overlaps no other, so that all walks together are no longer than the table.
#pragma once

#include "findings.h"

#include <cstdint>
#include <string>

namespace fardel {

class RunCheck {
public:
    RunCheck(Rule rule, TableKind of, std::uint64_t count, Findings& findings)
        : rule_(rule), of_(of), count_(count), findings_(findings) {}

    // The next run, claimed by a record of `table`. False: it must not be walked, and there is a finding.
    bool take(TableKind table, std::uint64_t record, std::uint64_t first, std::uint64_t count) {
        if (count > count_ || first > count_ - count) {
            findings_.add(rule_, record_place(table, record),
                          "it claims records " + format(first, count) + " of " + name() + ", which has " +
                              std::to_string(count_));
            known_ = false;
            return false;
        }
        if (known_ ? first != next_ : first < next_) {
            findings_.add(rule_, record_place(table, record),
                          "it claims records " + format(first, count) + " of " + name() + "; its run begins at " +
                              std::to_string(next_));
            if (first < next_)
                return false;
        }
        next_ = first + count;
        known_ = true;
        return true;
    }

    // A record that may have claimed a run is not known.
    void lose() noexcept { known_ = false; }

    // After the last record: a finding if records are left over.
    void finish() {
        if (known_ && next_ != count_)
            findings_.add(rule_, record_place(of_, next_),
                          "this record and all after it, up to " + std::to_string(count_ - 1) + ", belong to nobody");
    }

private:
    std::string name() const { return std::string(table_name(of_)); }
    static std::string format(std::uint64_t first, std::uint64_t count) {
        return std::to_string(first) + " to " + std::to_string(first + count - 1);
    }

    Rule rule_;
    TableKind of_;
    std::uint64_t count_;
    Findings& findings_;
    std::uint64_t next_ = 0;
    bool known_ = true;
};

}  // namespace fardel
