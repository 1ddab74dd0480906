// A source in memory that counts what is read from it, by any thread.
#pragma once

#include "bytes.h"

#include <fardel/format/byte_source.h>

#include <atomic>
#include <memory>
#include <utility>

namespace fardel::tests {

class CountingSource final : public ByteSource {
public:
    explicit CountingSource(Bytes bytes) : inner_(make_memory_source(std::move(bytes))) {}
    std::uint64_t size_bytes() const noexcept override { return inner_->size_bytes(); }
    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        ++reads;
        bytes_read += out.size();
        return inner_->read_at(offset, out);
    }
    mutable std::atomic<std::uint64_t> reads = 0;
    mutable std::atomic<std::uint64_t> bytes_read = 0;

private:
    std::shared_ptr<const ByteSource> inner_;
};

}  // namespace fardel::tests
