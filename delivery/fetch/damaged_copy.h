// DamagedCopy: a file of a bundle that may be damaged; what is right in it need not be fetched.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/manifest.h>
#include <fardel/store/incoming_bundle.h>

#include <cstdint>
#include <memory>
#include <utility>

namespace fardel {

class DamagedCopy {
public:
    // nullptr: there is none.
    explicit DamagedCopy(std::shared_ptr<const ByteSource> copy) : copy_(std::move(copy)) {}

    bool exists() const noexcept { return copy_ != nullptr; }
    std::uint64_t size_bytes() const noexcept { return copy_->size_bytes(); }
    // Writes a range to the incoming bundle, whatever its bytes are; does nothing if it cannot be read. Errors: those
    // of IncomingBundle::write.
    Status write_unproved(IncomingBundle& incoming, std::uint64_t offset, std::uint64_t length_bytes) const;
    // Writes a block. Returns false if it does not have its hash, or there is no copy.
    Result<bool> write_block(IncomingBundle& incoming, std::uint64_t offset, const BlockRecord& block) const;

private:
    const std::shared_ptr<const ByteSource> copy_;
};

}  // namespace fardel
