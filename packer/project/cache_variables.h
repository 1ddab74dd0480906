// "~" and "${NAME}" in the locations of cache layers. Pure.
#pragma once

#include <fardel/base/result.h>
#include <fardel/packer/project_cache.h>

#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// The names of the variables in `text`, in their order. Error: malformed.
Result<std::vector<std::string>> cache_variables(std::string_view text);

// Returns `text` with the values of its variables, and with `home` for a "~" that is its first part. Errors: malformed,
// missing (a variable that is not set or empty; no home).
Result<std::string> expand_cache_text(std::string_view text, const std::string& home, const FindVariable& find);

}  // namespace fardel
