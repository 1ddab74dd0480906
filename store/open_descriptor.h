// OpenDescriptor: owns one POSIX descriptor. And bytes that are read from one, at offsets.
#pragma once

#include <fardel/format/byte_source.h>

#include <unistd.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace fardel {

class OpenDescriptor {
public:
    explicit OpenDescriptor(int number) noexcept : number_(number) {}
    ~OpenDescriptor() {
        if (number_ >= 0)
            ::close(number_);
    }
    OpenDescriptor(OpenDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    OpenDescriptor& operator=(OpenDescriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }

    explicit operator bool() const noexcept { return number_ >= 0; }
    int get() const noexcept { return number_; }
    int release() noexcept { return std::exchange(number_, -1); }

private:
    int number_ = -1;
};

// All of `bytes` at `offset`. `subject` names the file in errors.
Status write_whole(int descriptor, std::uint64_t offset, std::span<const std::byte> bytes, const std::string& subject);

std::shared_ptr<const ByteSource> make_descriptor_source(OpenDescriptor descriptor, std::uint64_t size_bytes,
                                                         std::string subject);

}  // namespace fardel
