// The paths of a text that parses as a depfile can be written and read again.
#include "require.h"

#include "jobs/depfile.h"

#include <cstdint>
#include <set>

using namespace fardel;

namespace {

std::string escaped(const std::string& path) {
    std::string text;
    std::size_t backslashes = 0;
    for (const char c : path) {
        if (c == ' ' || c == '#')
            text.append(backslashes + 1, '\\');  // doubles the backslashes before it and adds one
        backslashes = c == '\\' ? backslashes + 1 : 0;
        text += c == '$' ? "$$" : std::string(1, c);
    }
    return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto paths = parse_depfile({reinterpret_cast<const char*>(data), size});
    if (!paths)
        return 0;
    require(std::set<std::string>(paths->begin(), paths->end()).size() == paths->size());
    std::string text = "target:";
    for (const std::string& path : *paths) {
        require(!path.empty() && path.find('\0') == std::string::npos && path.find('\n') == std::string::npos);
        if (path.ends_with('\\'))  // a depfile cannot express a path after it on the same line
            return 0;
        text += " " + escaped(path);
    }
    const auto again = parse_depfile(text);
    require(again && *again == *paths);
    return 0;
}
