// From planned assets to stored blocks: reads every source once, in order, and puts what is new into the block section.
//
// An asset of more than one piece gets a block a piece; small ones share blocks with neighbours of their content type.
// Equal bytes are stored once; what the later ones say beside their bytes is merged by resolve_plan.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/format/manifest.h>
#include <fardel/format/result.h>
#include <fardel/format/staged_file.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

struct StoredAsset {
    AssetId id;
    std::uint64_t raw_bytes = 0;
    std::uint32_t planned = 0;  // the first planned asset with these bytes: its type and piece size count
    std::uint8_t piece_log2 = limits::kBlockLog2;
    PlacementRecord placement;
};

struct StoredContent {
    std::vector<StoredAsset> assets;      // distinct, by id
    std::vector<std::uint32_t> asset_of;  // planned → position in `assets`
    std::vector<BlockRecord> blocks;
    std::vector<Hash> piece_hashes;     // per block; zero where no asset of several pieces has it
    std::uint64_t blocks_bytes = 0;     // of the section
    std::uint64_t raw_bytes = 0;        // of `assets`
    std::uint64_t copied_blocks = 0;    // from the donor
    std::uint64_t duplicate_bytes = 0;  // of planned assets whose bytes were there already
};

// Puts `assets`, so far in order of discovery, into the order of their table, and lets asset_of follow.
void sort_by_id(StoredContent& content);

// `order` says which planned asset comes when. Blocks go to `section_offset` of the file, where nothing is yet.
// Errors: those of the sources, with the asset's key; limit, corrupt, cancelled, busy; those of the file.
Result<StoredContent> store_assets(std::span<const PlannedAsset> planned, std::span<const std::uint32_t> order,
                                   StagedFile& file, std::uint64_t section_offset, const WriteOptions& options);

}  // namespace fardel
