// DeltaPath: which deltas lead from a bundle that is here to another one, if none does so alone.
//
// Lists of deltas are hostile: they may name bundles that do not exist, lead in circles or never end. So the number of
// lists and of steps has a limit, and no bundle is passed twice.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/delta_list.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fardel {

inline constexpr std::size_t kDeltaStepsMax = 8;
inline constexpr std::size_t kDeltaListsMax = 8;                 // that are asked for besides that of the target
inline constexpr std::uint64_t kDeltaPathBytesMax = 1ull << 44;  // whatever lists say

struct FoundDeltaList {
    std::string tree;  // that has it
    DeltaList list;    // the smallest delta first; empty: no tree has one
};

struct DeltaStep {
    BundleId bundle;  // to which it leads
    std::string tree;
    ListedDelta listed;
};

using DeltaPath = std::vector<DeltaStep>;  // in the order in which they are applied

using FetchDeltaList = std::function<Result<FoundDeltaList>(const BundleId& target)>;

// Returns the deltas to the target, of which `list` is the list, that have the smallest sum of declared sizes among
// those that were found, the first from a bundle for which `is_held` is true; none: empty. Lists are asked for in the
// order of that sum. Errors: those of `fetch_list`.
Result<DeltaPath> find_delta_path(const BundleId& target, const FoundDeltaList& list, const FetchDeltaList& fetch_list,
                                  const std::function<bool(const ListedDelta&)>& is_held);

}  // namespace fardel
