// SpooledBytes: what comes in from elsewhere, bounded: the first of it in memory, the rest in a temporary file without
// a name, which is gone with its last reader. One thread; the blob that it becomes is read by any number.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/format/result.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fardel {

class SpooledBytes {
public:
    static constexpr std::size_t kMemoryBytesMax = 4u << 20;

    explicit SpooledBytes(std::uint64_t bytes_max);
    ~SpooledBytes();
    SpooledBytes(SpooledBytes&&) noexcept;
    SpooledBytes& operator=(SpooledBytes&&) noexcept;

    // Errors: limit (more than bytes_max), no_space, io.
    Status append(std::span<const std::byte> bytes);
    std::uint64_t size_bytes() const noexcept { return size_bytes_; }

    // Nothing can be appended afterwards.
    std::shared_ptr<const BlobSource> take_blob();
    std::vector<std::byte> take_memory();  // of at most kMemoryBytesMax

private:
    class File;

    std::uint64_t bytes_max_;
    std::uint64_t size_bytes_ = 0;
    std::vector<std::byte> memory_;
    std::unique_ptr<File> file_;
};

}  // namespace fardel
