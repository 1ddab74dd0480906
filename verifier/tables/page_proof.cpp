#include "page_proof.h"

#include <array>
#include <string_view>

namespace fardel {
namespace {

class Key {
public:
    void text(std::string_view text) {
        for (const char c : text)
            bytes_[at_++] = static_cast<std::byte>(c);
    }
    void number(std::uint64_t value, int width) {
        for (int i = 0; i < width; ++i)
            bytes_[at_++] = static_cast<std::byte>(value >> 8 * i & 0xff);
    }
    const std::array<std::byte, 32>& bytes() const { return bytes_; }

private:
    std::array<std::byte, 32> bytes_{};
    std::size_t at_ = 0;
};

}  // namespace

Hash page_proof(TableKind kind, std::uint32_t level, std::uint64_t page, std::uint64_t table_bytes,
                std::span<const std::byte> bytes) noexcept {
    Key key;
    key.text("FARDELPG");
    key.number(static_cast<std::uint32_t>(kind), 4);
    key.number(level, 4);
    key.number(page, 8);
    key.number(table_bytes, 8);
    return blake3_keyed(key.bytes(), bytes);
}

}  // namespace fardel
