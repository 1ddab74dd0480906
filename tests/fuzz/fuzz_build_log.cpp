// A text that parses as the log of a build is, written and read again, the same log.
#include "require.h"

#include <fardel/packer/build_log.h>

#include <cstdint>
#include <string_view>

using namespace fardel;

int fuzz_build_log(const std::uint8_t* data, std::size_t size) {
    const auto log = parse_build_log({reinterpret_cast<const char*>(data), size});
    if (!log)
        return 0;
    const auto again = parse_build_log(format_build_log(*log));
    require(again && *again == *log);
    const BuildLogComparison comparison = compare_build_logs(*log, *again);
    require(comparison.equal + comparison.differences.size() <= log->jobs.size());
    for (const JobDifference& difference : comparison.differences)
        require(difference.in_first && difference.in_second && difference.changes.empty());
    return 0;
}
