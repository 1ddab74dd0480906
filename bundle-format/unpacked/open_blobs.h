// OpenBlobs reads blobs at offsets and keeps the most recently read ones open, within bounds.
//
// A blob that can be read at offsets is kept open; any other is read whole and kept in memory. Any number of threads;
// the lock is held for the look-up only.
#pragma once

#include <fardel/base/result.h>
#include <fardel/base/threads.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/byte_source.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace fardel {

struct PlannedBlob {
    std::shared_ptr<const BlobSource> source;
    SharedText key;  // identifies the blob in errors
    std::uint64_t size_bytes = 0;
};

class OpenBlobs {
public:
    static constexpr std::size_t kOpenMax = 64;
    static constexpr std::uint64_t kMemoryBytesMax = 64ull << 20;  // the blob read last may exceed it

    explicit OpenBlobs(std::vector<PlannedBlob> blobs) : blobs_(std::move(blobs)) {}

    // Errors: those of the blob; conflict (its size has changed); limit (it can only be read whole, and is too large
    // for that).
    Status read_at(std::uint32_t blob, std::uint64_t offset, std::span<std::byte> out) const;

private:
    struct Open {
        std::uint32_t blob = 0;
        std::uint64_t memory_bytes = 0;
        std::shared_ptr<const ByteSource> bytes;
    };

    std::shared_ptr<const ByteSource> find(std::uint32_t blob) const;
    Result<Open> open(std::uint32_t blob) const;
    void add(Open open) const;

    const std::vector<PlannedBlob> blobs_;
    mutable Mutex mutex_;
    mutable std::list<Open> by_use_;  // most recent first
    mutable std::uint64_t memory_bytes_ = 0;
};

}  // namespace fardel
