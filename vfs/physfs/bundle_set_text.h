// A set file lists the bundles that one mount shows. Text, written by people:
//
//     fardel-set 1
//     base.fardel
//     hd/textures.fardel
#pragma once

#include <fardel/base/result.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::string_view kBundleSetStart = "fardel-set ";
inline constexpr std::size_t kBundleSetBytesMax = 1u << 20;

// The paths, in the file's order; blank lines and lines that begin with '#' are skipped. Errors: unsupported (another
// version), malformed, denied (a path that is absolute or leads out of the folder of the set file).
Result<std::vector<std::string>> parse_bundle_set(std::string_view text);

}  // namespace fardel
