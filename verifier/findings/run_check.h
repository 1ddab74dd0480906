// RunCheck: reports what breaks the rule about runs of records (record_run.h).
#pragma once

#include "record_run.h"
#include "verify_findings.h"

#include <cstdint>
#include <string>

namespace fardel {

class RunCheck {
public:
    RunCheck(VerifierRule rule, TableKind of, std::uint64_t count, VerifyFindings& findings)
        : rule_(rule), of_(of), run_(count), findings_(findings) {}

    // Checks the next run, which record `record` of `table` claims. False: there is a finding, and the run must not be
    // walked.
    bool add(TableKind table, std::uint64_t record, std::uint64_t first, std::uint64_t count) {
        const std::uint64_t begin = run_.next();
        const RunDefect defect = run_.add(first, count);
        if (defect == RunDefect::beyond)
            findings_.add(rule_, record_location(table, record),
                          "it claims records " + format(first, count) + " of " + name() + ", which has " +
                              std::to_string(run_.count()));
        else if (defect != RunDefect::none)
            findings_.add(rule_, record_location(table, record),
                          "it claims records " + format(first, count) + " of " + name() + "; its run begins at " +
                              std::to_string(begin));
        return defect == RunDefect::none || defect == RunDefect::gap;
    }

    // Call it instead of add() for an unknown record, which may have claimed a run.
    void lose() noexcept { run_.lose(); }

    // Call it after the last record: adds a finding if unclaimed records are left.
    void finish() {
        if (run_.has_rest())
            findings_.add(
                rule_, record_location(of_, run_.next()),
                "this record and all after it, up to " + std::to_string(run_.count() - 1) + ", belong to no run");
    }

private:
    std::string name() const { return std::string(table_name(of_)); }
    static std::string format(std::uint64_t first, std::uint64_t count) {
        return std::to_string(first) + " to " + std::to_string(first + count - 1);
    }

    VerifierRule rule_;
    TableKind of_;
    RecordRun run_;
    VerifyFindings& findings_;
};

}  // namespace fardel
