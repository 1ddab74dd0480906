// URLs of static trees, and of files in them.
#pragma once

#include <fardel/base/result.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// Returns the URLs complete, without '/' at the end. Error: malformed (none is given; one that is not of http or
// https).
Result<std::vector<std::string>> parse_tree_urls(std::span<const std::string> trees);

// Returns the URL of a file in each tree.
std::vector<std::string> urls_of(std::span<const std::string> trees, std::string_view path);

}  // namespace fardel
