// Memory for secrets, from libsodium: locked where the system allows it, guarded at its ends, wiped before it is freed.
#pragma once

#include <sodium.h>

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string>

namespace fardel {

// Must be called before anything that draws random bytes or allocates from libsodium. Any thread, any number of times.
inline void start_sodium() {
    static const int started = sodium_init();
    if (started < 0)
        throw std::bad_alloc();  // without a source of random bytes nothing here can work
}

class SecureBytes {
public:
    explicit SecureBytes(std::size_t size_bytes) : size_bytes_(size_bytes) {
        start_sodium();
        bytes_.reset(static_cast<unsigned char*>(sodium_malloc(size_bytes)));
        if (!bytes_)
            throw std::bad_alloc();
    }

    unsigned char* data() const noexcept { return bytes_.get(); }
    std::size_t size() const noexcept { return size_bytes_; }
    std::span<std::byte> bytes() const noexcept { return std::as_writable_bytes(std::span(data(), size_bytes_)); }

private:
    struct Free {
        void operator()(unsigned char* bytes) const noexcept { sodium_free(bytes); }
    };
    std::unique_ptr<unsigned char, Free> bytes_;
    std::size_t size_bytes_;
};

// Wipes a string that held a secret when the scope ends. Reserve its memory first: copies that a reallocation left are
// not wiped.
class WipedAtEnd {
public:
    explicit WipedAtEnd(std::string& text) noexcept : text_(text) {}
    ~WipedAtEnd() { sodium_memzero(text_.data(), text_.size()); }
    WipedAtEnd(const WipedAtEnd&) = delete;
    WipedAtEnd& operator=(const WipedAtEnd&) = delete;

private:
    std::string& text_;
};

}  // namespace fardel
