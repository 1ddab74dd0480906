// ByteRoom: memory for bytes that are about to be written. Unlike a vector, it is neither cleared nor copied.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace fardel {

class ByteRoom {
public:
    // Returns memory with any contents, valid until the next call.
    std::span<std::byte> take(std::size_t size_bytes) {
        if (capacity_bytes_ < size_bytes) {
            bytes_.reset();  // first, so that there are never both
            bytes_ = std::make_unique_for_overwrite<std::byte[]>(size_bytes);
            capacity_bytes_ = size_bytes;
        }
        return {bytes_.get(), size_bytes};
    }

private:
    std::unique_ptr<std::byte[]> bytes_;
    std::size_t capacity_bytes_ = 0;
};

}  // namespace fardel
