// The paths of a text that parses as a depfile can be written and read again.
#include "require.h"

#include "jobs/depfile.h"

#include <cstdint>
#include <set>

using namespace fardel;

int fuzz_depfile(const std::uint8_t* data, std::size_t size) {
    const auto paths = parse_depfile({reinterpret_cast<const char*>(data), size});
    if (!paths)
        return 0;
    require(std::set<std::string>(paths->begin(), paths->end()).size() == paths->size());
    for (const std::string& path : *paths) {
        require(!path.empty() && path.find('\0') == std::string::npos && path.find('\n') == std::string::npos);
        if (path.ends_with('\\'))  // a depfile cannot express a path after it on the same line
            return 0;
    }
    const auto again = parse_depfile(format_depfile(std::vector<std::string>{"target"}, *paths));
    require(again && *again == *paths);
    return 0;
}
