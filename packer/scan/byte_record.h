// ByteRecord: bounded access to the records of a binary asset at offsets that the asset itself states. Little-endian.
#pragma once

#include <fardel/base/little_endian.h>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace fardel {

class ByteRecord {
public:
    explicit ByteRecord(std::span<const std::byte> bytes) : bytes_(bytes) {}

    std::size_t size() const noexcept { return bytes_.size(); }

    // `count` records of `each` bytes from `offset`; nothing if they do not all fit inside. No overflow.
    std::optional<ByteRecord> find_part(std::uint64_t offset, std::uint64_t count, std::uint64_t each = 1) const {
        if (offset > size() || (each != 0 && count > (size() - offset) / each))
            return std::nullopt;
        return ByteRecord(bytes_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(count * each)));
    }

    // The caller has checked that the record has these four bytes.
    std::uint32_t u32(std::size_t offset) const {
        assert(offset + 4 <= size());
        return load_le<std::uint32_t>(bytes_.data() + offset);
    }

    std::string_view text() const { return {reinterpret_cast<const char*>(bytes_.data()), size()}; }

    // The text of at most `bytes` bytes at `offset`, up to the first NUL if there is one.
    std::string_view text_until_nul(std::size_t offset, std::size_t bytes) const {
        const std::string_view all = text().substr(offset, bytes);
        return all.substr(0, all.find('\0'));
    }

private:
    std::span<const std::byte> bytes_;
};

}  // namespace fardel
