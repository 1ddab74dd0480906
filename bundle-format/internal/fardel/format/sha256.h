// SHA-256, for what other systems demand it for: requests to object stores are signed over it. Fardel's own ids and
// hashes are BLAKE3.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace fardel {

// Hashes bytes piece by piece. One thread.
class Sha256Hasher {
public:
    Sha256Hasher();
    ~Sha256Hasher();
    Sha256Hasher(Sha256Hasher&&) noexcept;
    Sha256Hasher& operator=(Sha256Hasher&&) noexcept;
    void update(std::span<const std::byte> bytes);
    // Returns 64 hexadecimal digits, as `sha256sum` prints them. Call it last.
    std::string finish_hex();

private:
    struct State;
    std::unique_ptr<State> state_;
};

// The same for all bytes at once.
std::string sha256_hex(std::span<const std::byte> bytes);

}  // namespace fardel
