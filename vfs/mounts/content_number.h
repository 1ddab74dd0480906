// ContentNumber: identifies one opening of a bundle by a Vfs. A mount whose bundle is replaced keeps its MountId and
// gets another number, so that nothing remembered about the old bundle is applied to the new one.
#pragma once

#include <cstdint>

namespace fardel {

// Unique within a Vfs, from 1, never used again.
enum class ContentNumber : std::uint32_t {};

// 31 bits, so that a number, an asset index and one bit fit into 64 (asset_verdicts.h).
inline constexpr std::uint32_t kContentNumberMax = 0x7fff'ffffu;

}  // namespace fardel
