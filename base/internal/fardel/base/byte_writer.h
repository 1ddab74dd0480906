// ByteWriter: writes the fields of a record, one after another; the counterpart of ByteReader. Integers are
// little-endian and unaligned.
#pragma once

#include <fardel/base/little_endian.h>

#include <algorithm>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {

class ByteWriter {
public:
    template <std::unsigned_integral T>
    void number(T value) {
        append_le(bytes_, value);
    }
    void u8(std::uint8_t value) { number(value); }
    void u16(std::uint16_t value) { number(value); }
    void u32(std::uint32_t value) { number(value); }
    void u64(std::uint64_t value) { number(value); }

    void raw(std::span<const std::byte> bytes) {
        // Not insert(): with -O3, g++ 12 warns of a memmove that no input leads to.
        const std::size_t at = bytes_.size();
        bytes_.resize(at + bytes.size());
        std::ranges::copy(bytes, bytes_.begin() + static_cast<std::ptrdiff_t>(at));
    }
    void text(std::string_view text) { raw(std::as_bytes(std::span(text))); }
    // Writes a value whose `bytes` member is an array: an id, a hash, a signature.
    template <class Fixed>
    void fixed(const Fixed& value) {
        raw(std::as_bytes(std::span(value.bytes)));
    }
    // Writes a length of type `Length`, then the bytes; the caller has checked that the length fits.
    template <std::unsigned_integral Length>
    void sized(std::span<const std::byte> bytes) {
        assert(bytes.size() <= std::numeric_limits<Length>::max());
        number(static_cast<Length>(bytes.size()));
        raw(bytes);
    }
    template <std::unsigned_integral Length>
    void sized_text(std::string_view text) {
        sized<Length>(std::as_bytes(std::span(text)));
    }
    void zeros(std::size_t count) { bytes_.resize(bytes_.size() + count); }
    // Writes the text, then zeros up to `size_bytes`; the text must not be longer than that.
    void padded_text(std::string_view padded, std::size_t size_bytes) {
        assert(padded.size() <= size_bytes);
        text(padded);
        zeros(size_bytes - padded.size());
    }
    // Writes zeros up to the next multiple of `multiple` ≥ 1.
    void pad_to(std::size_t multiple) { zeros((multiple - bytes_.size() % multiple) % multiple); }

    std::size_t size_bytes() const noexcept { return bytes_.size(); }
    const std::vector<std::byte>& bytes() const noexcept { return bytes_; }
    std::string_view view() const noexcept { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }
    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
};

}  // namespace fardel
