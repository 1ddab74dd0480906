// Which deltas lead to a bundle, as a static tree lists them in one small file. docs/deltas.md gives the bytes.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fardel {

inline constexpr std::size_t kListedDeltasMax = 256;
inline constexpr std::size_t kDeltaListBytesMax = 16 + kListedDeltasMax * 80;

struct ListedDelta {
    BundleId old_bundle;
    LayoutId old_layout;
    std::uint64_t delta_bytes = 0;
    std::uint64_t front_bytes = 0;  // of these, all but the frames that give blocks
    friend bool operator==(const ListedDelta&, const ListedDelta&) = default;
};

using DeltaList = std::vector<ListedDelta>;  // by old bundle, each once

// The paths in a static tree.
std::string delta_list_path_of(const BundleId& target);
std::string delta_path_of(const BundleId& target, const BundleId& old);

std::vector<std::byte> encode_delta_list(const DeltaList& list);
// Errors: malformed, unsupported (a later version), limit.
Result<DeltaList> decode_delta_list(std::span<const std::byte> bytes);

}  // namespace fardel
