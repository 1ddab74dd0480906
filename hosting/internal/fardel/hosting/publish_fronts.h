// Publishing fronts: what leads from the tables of earlier versions of a bundle to its own, in a static tree, so that
// an update receives a difference instead of all tables. docs/deltas.md describes the files.
//
// Which versions a tree has is kept in a small file per name, so that finding them costs one request, whatever the tree
// has. What it says is untrusted.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/hosting/publish_delta.h>
#include <fardel/hosting/tree_target.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::size_t kListedVersionsMax = 64;  // of one name; the oldest ones are forgotten
inline constexpr std::size_t kFrontsMax = 4;           // to one bundle, from the latest versions
// Above so many bytes of tables, those of all versions together, only the latest version has a front.
inline constexpr std::uint64_t kFrontTablesBytesMax = 64u << 20;

// The path of the list of versions in a static tree, "versions/<64 digits>".
std::string versions_path_of(std::string_view bundle_name);

struct FrontsPublication {
    std::vector<DeltaPublication> fronts;  // the latest version first; those that would save nothing are left out
    std::optional<Error> failure;          // why there may be fewer than there could be
};

// Adds the bundle, which is published, to the versions of its name, and publishes fronts to it from those that were
// listed before it. May be killed and repeated. Does nothing if the bundle has no name, or the target takes only
// bundles.
FrontsPublication publish_fronts(const Bundle& bundle, TreeTarget& tree, const DeltaWork& work = {});

}  // namespace fardel
