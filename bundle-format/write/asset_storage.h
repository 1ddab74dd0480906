// Stores planned assets as blocks: reads every source once, in order, and adds new bytes to the block section.
//
// An asset of more than one piece gets one block per piece; small assets share blocks with neighbours of their content
// type. Equal bytes are stored once; resolve_plan merges the references and metadata of assets with equal bytes.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/format/manifest.h>
#include <fardel/format/staged_file.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

struct StoredAsset {
    AssetId id;
    std::uint64_t raw_bytes = 0;
    std::uint32_t planned = 0;  // the first planned asset with these bytes; it determines the type and piece size
    std::uint8_t piece_log2 = limits::kBlockLog2;
    PlacementRecord placement;
};

struct StoredContent {
    std::vector<StoredAsset> assets;      // distinct; in order of discovery until sort_by_id()
    std::vector<std::uint32_t> asset_of;  // planned → position in `assets`
    std::vector<BlockRecord> blocks;
    std::vector<BundlePurpose> block_purposes;
    std::vector<Hash> piece_hashes;     // per block; zero unless the block is a piece of an asset of several
    std::uint64_t blocks_bytes = 0;     // of the section
    std::uint64_t raw_bytes = 0;        // of `assets`
    std::uint64_t copied_blocks = 0;    // from the donor
    std::uint64_t duplicate_bytes = 0;  // of planned assets whose bytes were stored already
};

// Sorts `assets` by id, and adapts asset_of.
void sort_by_id(StoredContent& content);

// Makes the first planned asset in `order` with an asset's bytes the one that determines its type. Returns false if it
// determines another piece size than the bytes are stored in.
bool adopt_first(StoredContent& content, std::span<const PlannedAsset> planned, std::span<const std::uint32_t> order);

// `order`: the planned assets in the order in which they are stored. Blocks are written from `section_offset` of the
// file on, behind which the file is empty. Errors: those of the sources, with the asset's key; limit, corrupt,
// cancelled, busy; those of the file.
Result<StoredContent> store_assets(std::span<const PlannedAsset> planned, std::span<const std::uint32_t> order,
                                   StagedFile& file, std::uint64_t section_offset, const BundleWriteOptions& options);

}  // namespace fardel
