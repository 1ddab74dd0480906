// Writes what follows the blocks of a bundle: manifest, layout, and last the heads.
#pragma once

#include "asset_storage.h"

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/head.h>
#include <fardel/format/ids.h>
#include <fardel/format/limits.h>
#include <fardel/format/staged_file.h>

#include <cstdint>
#include <span>

namespace fardel {

// The offset of the block section: behind the heads.
inline constexpr std::uint64_t kBlocksOffset = 2 * limits::kHeadBytes;

// Returns the offset of the manifest behind `blocks_bytes` of blocks.
std::uint64_t manifest_offset(std::uint64_t blocks_bytes) noexcept;

struct WrittenHeads {
    BundleHead head;
    LayoutHead layout;
    LayoutId layout_id;
};

// The blocks of `content` are in the file, with nothing behind them; sort_names() returned `names_by_text`. Errors:
// malformed (assets with equal bytes disagree), limit, those of the file.
Result<WrittenHeads> write_sections(const BundlePlan& plan, std::span<const std::uint32_t> names_by_text,
                                    const StoredContent& content, StagedFile& file);

}  // namespace fardel
