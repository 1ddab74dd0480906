// Decides which packs of a store are written again without the bytes that no bundle needs. Pure.
#pragma once

#include <fardel/base/unix_time.h>
#include <fardel/format/hash.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

// A pack that could be written again.
struct RepackPack {
    Hash id;
    std::uint64_t size_bytes = 0;
    std::uint64_t named_bytes = 0;  // that some record needs
};

struct RepackBundle {
    BundleId bundle;
    std::vector<Hash> packs;
    UnixTime used;
    bool is_leaving = false;  // it is condemned: its packs wait until it is gone
};

// Packs that one new pack replaces, because bundles share them.
struct RepackGroup {
    std::vector<Hash> packs;        // ascending
    std::vector<BundleId> bundles;  // that name them, the most recently used first: the new pack has their order
    std::uint64_t pack_bytes = 0;
    std::uint64_t named_bytes = 0;  // what the new pack has
};

// A bundle that names more packs has its smallest ones joined, until it names so few.
inline constexpr std::size_t kManyPacks = 48;
inline constexpr std::size_t kFewPacks = 32;

// A pack of which less than `percent` is needed is written again; with 0, none is. Groups come in the order of what
// they free, the most first. The result depends on the facts only.
std::vector<RepackGroup> plan_repack(std::span<const RepackPack> packs, std::span<const RepackBundle> bundles,
                                     unsigned percent);

}  // namespace fardel
