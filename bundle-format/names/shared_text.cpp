#include <fardel/format/name.h>

#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <new>

namespace fardel {

// The characters follow in the same block of memory.
struct SharedText::Bytes {
    explicit Bytes(std::uint32_t size) noexcept : size_bytes(size) {}
    char* characters() noexcept { return reinterpret_cast<char*>(this + 1); }

    std::uint32_t size_bytes;
    std::atomic<std::uint32_t> copies{1};
};

SharedText::SharedText(std::string_view text) {
    if (text.empty())
        return;
    assert(text.size() <= UINT32_MAX);
    bytes_ = new (::operator new(sizeof(Bytes) + text.size())) Bytes(static_cast<std::uint32_t>(text.size()));
    std::memcpy(bytes_->characters(), text.data(), text.size());
}

SharedText::SharedText(const SharedText& other) noexcept : bytes_(other.bytes_) {
    if (bytes_ != nullptr)
        bytes_->copies.fetch_add(1, std::memory_order_relaxed);
}

SharedText::~SharedText() {
    if (bytes_ == nullptr || bytes_->copies.fetch_sub(1, std::memory_order_acq_rel) != 1)
        return;
    bytes_->~Bytes();
    ::operator delete(bytes_);
}

std::string_view SharedText::view() const noexcept {
    return bytes_ == nullptr ? std::string_view() : std::string_view(bytes_->characters(), bytes_->size_bytes);
}

}  // namespace fardel
