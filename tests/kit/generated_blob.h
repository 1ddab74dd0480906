// A BlobSource whose bytes are generated when they are read, for assets that are too large or too many for memory.
#pragma once

#include <fardel/format/bundle_plan.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace fardel::tests {

// `fill(offset, out)` generates the bytes [offset, offset + out.size()), the same each time.
template <class Fill>
class GeneratedBlob final : public BlobSource {
public:
    GeneratedBlob(std::uint64_t size_bytes, Fill fill) : size_bytes_(size_bytes), fill_(std::move(fill)) {}
    Result<std::unique_ptr<BlobStream>> open() const override {
        return std::unique_ptr<BlobStream>(std::make_unique<Stream>(size_bytes_, fill_));
    }

private:
    struct Stream final : BlobStream {
        Stream(std::uint64_t bytes_left, const Fill& fill) : left(bytes_left), fill_at(fill) {}
        Result<std::size_t> read(std::span<std::byte> out) override {
            const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left));
            fill_at(offset, out.first(count));
            offset += count;
            left -= count;
            return count;
        }
        std::uint64_t offset = 0;
        std::uint64_t left;
        Fill fill_at;
    };
    std::uint64_t size_bytes_;
    Fill fill_;
};

template <class Fill>
std::shared_ptr<const BlobSource> generated_blob(std::uint64_t size_bytes, Fill fill) {
    return std::make_shared<GeneratedBlob<Fill>>(size_bytes, std::move(fill));
}

}  // namespace fardel::tests
