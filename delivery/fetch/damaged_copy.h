// DamagedCopy: a file of a bundle that may be damaged; what is right in it need not be fetched.
#pragma once

#include "fetch/block_supplier.h"

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/store/incoming_bundle.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace fardel {

class DamagedCopy final : public BlockSupplier {
public:
    // nullptr: there is none.
    explicit DamagedCopy(std::shared_ptr<const ByteSource> copy) : copy_(std::move(copy)) {}
    BlockCost cost() const noexcept override { return BlockCost::copy; }

    bool exists() const noexcept { return copy_ != nullptr; }
    std::uint64_t size_bytes() const noexcept { return copy_->size_bytes(); }
    // Writes a range to the incoming bundle, whatever its bytes are; does nothing if it cannot be read. Errors: those
    // of IncomingBundle::write.
    Status write_unproved(IncomingBundle& incoming, std::uint64_t offset, std::uint64_t length_bytes) const;

    // Reads each block, so that the plan is right.
    Result<BlockChoice> choose(const BlockTarget& target, const std::vector<bool>& missing) override;
    Status fetch_blocks(std::span<const std::uint32_t> blocks, const BlockSink& sink) override;

private:
    // Returns false if its bytes do not have the block's hash.
    bool read(const BlockRecord& block, std::vector<std::byte>& out) const;

    const std::shared_ptr<const ByteSource> copy_;
    std::shared_ptr<const Bundle> target_;
    std::vector<bool> chosen_;  // by block
};

}  // namespace fardel
