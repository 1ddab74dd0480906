// Which bundles of one name were published in a static tree, in the order in which they were: a small file.
// docs/publishing.md describes it.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/hosting/tree_target.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

std::string format_version_list(std::span<const BundleId> versions);
// Each bundle at most once. Error: malformed.
Result<std::vector<BundleId>> parse_version_list(std::string_view text);

// Adds the bundle at the end unless it is listed, and returns the list. A damaged one counts as empty. Errors: those of
// TreeTarget; conflict (others keep changing it).
Result<std::vector<BundleId>> add_version(TreeTarget& tree, const std::string& path, const BundleId& bundle);

}  // namespace fardel
