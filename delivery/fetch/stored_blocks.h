// StoredBlocks: blocks that other bundles in the store or in a library have with the same stored bytes.
#pragma once

#include "fetch/block_supplier.h"
#include "fetch/library_blocks.h"

#include <fardel/base/result.h>
#include <fardel/format/hash.h>
#include <fardel/store/incoming_bundle.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fardel {

class StoredBlocks final : public BlockSupplier {
public:
    // Both outlive the object.
    StoredBlocks(IncomingBundle& incoming, LibraryBlocks& library) : incoming_(incoming), library_(library) {}
    BlockCost cost() const noexcept override { return BlockCost::copy; }

    // What the store has counts as held by the incoming bundle from then on, which writes nothing.
    Result<BlockChoice> choose(const BlockTarget& target, const std::vector<bool>& missing) override;
    Status fetch_blocks(std::span<const std::uint32_t> blocks, const BlockSink& sink) override;

private:
    IncomingBundle& incoming_;
    LibraryBlocks& library_;
    std::shared_ptr<const Bundle> target_;
    std::vector<bool> in_library_;  // by block
};

// The same for one block, at once. Returns false if nobody has it. Errors: those of IncomingBundle.
Result<bool> share_block(IncomingBundle& incoming, LibraryBlocks& library, std::uint64_t file_offset,
                         const Hash& stored_hash, std::uint32_t stored_bytes);

}  // namespace fardel
