#include "bundle_set_text.h"

#include <fardel/base/text_fields.h>
#include <fardel/format/name.h>

#include <algorithm>

namespace fardel {
namespace {

// Whether the path is relative and has no part "..".
bool stays_below(std::string_view path) {
    if (path.starts_with('/') || path.find('\\') != std::string_view::npos || path.find(':') != std::string_view::npos)
        return false;
    return std::ranges::count(split_text(path, '/'), "..") == 0;
}

}  // namespace

Result<std::vector<std::string>> parse_bundle_set(std::string_view text) {
    const std::string_view first = read_line(text);
    if (!first.starts_with(kBundleSetStart))
        return Error(ErrorCode::malformed, "a set file begins with the line \"fardel-set 1\"");
    if (first.substr(kBundleSetStart.size()) != "1")
        return Error(ErrorCode::unsupported, "this library reads set files of version 1 only");
    std::vector<std::string> paths;
    while (!text.empty()) {
        const std::string_view line = read_line(text);
        if (line.find('\0') != std::string_view::npos)
            return Error(ErrorCode::malformed, "a set file is text");
        if (line.empty() || line.starts_with('#'))
            continue;
        // A set file may come with a mod, and must not have the game open files elsewhere.
        if (!stays_below(line))
            return Error(ErrorCode::denied,
                         "a set file names bundles in its own folder and below, not " + printable(line, 200));
        paths.emplace_back(line);
    }
    if (paths.empty())
        return Error(ErrorCode::malformed, "the set file names no bundle");
    return paths;
}

}  // namespace fardel
