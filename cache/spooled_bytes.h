// SpooledBytes: received bytes, up to a limit. Few bytes are kept in memory, more in an unnamed temporary file, which
// disappears with its last reader. One thread; any number of threads may read the blob that take_blob() returns.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fardel {

class SpooledBytes {
public:
    static constexpr std::size_t kMemoryBytesMax = 4u << 20;

    explicit SpooledBytes(std::uint64_t bytes_max) : bytes_max_(bytes_max) {}

    // Errors: limit (more than bytes_max), no_space, io.
    Status append(std::span<const std::byte> bytes);
    std::uint64_t size_bytes() const noexcept { return size_bytes_; }

    // Nothing can be appended afterwards.
    std::shared_ptr<const BlobSource> take_blob();
    std::vector<std::byte> take_memory();  // only if size_bytes() ≤ kMemoryBytesMax

private:
    std::uint64_t bytes_max_;
    std::uint64_t size_bytes_ = 0;
    std::vector<std::byte> memory_;
    Descriptor file_;  // owns none as long as all bytes are in memory_
};

}  // namespace fardel
