// What a writer of a store is going to name: the bytes in the file of its lease. docs/retention.md gives them.
#pragma once

#include <fardel/format/ids.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace fardel {

struct LeasedIds {
    std::vector<BundleId> bundles;
    std::vector<Hash> packs;
};

std::vector<std::byte> encode_lease(const LeasedIds& ids);
// Returns nothing for other bytes than those of a lease. No bytes are a lease that names nothing yet.
std::optional<LeasedIds> decode_lease(std::span<const std::byte> bytes);

}  // namespace fardel
