// ByteReader: reads the fields of a record, one after another, from unchecked bytes.
//
// Integers are little-endian and unaligned. The reader keeps its first error: from then on all fields read as zero or
// empty, and finish() returns that error. So a decoder reads all fields and checks once. Views point into the input. No
// memory is allocated on success; a length is checked against the remaining bytes before it is used.
#pragma once

#include <fardel/base/little_endian.h>
#include <fardel/base/result.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace fardel {

class ByteReader {
public:
    // `subject` begins every message, e.g. "statement"; it must live as long as the reader.
    explicit ByteReader(std::span<const std::byte> bytes, std::string_view subject = "record")
        : rest_(bytes), size_bytes_(bytes.size()), subject_(subject) {}
    explicit ByteReader(std::string_view bytes, std::string_view subject = "record")
        : ByteReader(std::as_bytes(std::span(bytes)), subject) {}

    template <std::unsigned_integral T>
    T number() {
        const auto bytes = raw(sizeof(T));
        return bytes.empty() ? T{0} : load_le<T>(bytes.data());
    }
    std::uint8_t u8() { return number<std::uint8_t>(); }
    std::uint16_t u16() { return number<std::uint16_t>(); }
    std::uint32_t u32() { return number<std::uint32_t>(); }
    std::uint64_t u64() { return number<std::uint64_t>(); }

    // Returns the next `size_bytes` bytes; empty if there are fewer. Error: malformed.
    std::span<const std::byte> raw(std::uint64_t size_bytes) {
        if (size_bytes > rest_.size()) [[unlikely]] {
            cut_off();
            return {};
        }
        const auto bytes = rest_.first(static_cast<std::size_t>(size_bytes));
        rest_ = rest_.subspan(static_cast<std::size_t>(size_bytes));
        return bytes;
    }
    std::string_view text(std::uint64_t size_bytes) {
        const auto bytes = raw(size_bytes);
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    void skip(std::uint64_t size_bytes) { static_cast<void>(raw(size_bytes)); }
    // Fills `out` with the next bytes, or with zeros after an error.
    void copy(std::span<std::byte> out) {
        const auto bytes = raw(out.size());
        if (bytes.empty())
            std::ranges::fill(out, std::byte{0});
        else
            std::memcpy(out.data(), bytes.data(), bytes.size());
    }
    // Reads a value whose `bytes` member is an array: an id, a hash, a signature.
    template <class Fixed>
    Fixed fixed() {
        Fixed value{};
        copy(std::as_writable_bytes(std::span(value.bytes)));
        return value;
    }

    // Reads a length of type `Length`, at most `bytes_max`, then that many bytes. Errors: limit (names the field),
    // malformed.
    template <std::unsigned_integral Length>
    std::span<const std::byte> sized(std::uint64_t bytes_max, std::string_view field) {
        return raw(bounded(number<Length>(), bytes_max, field));
    }
    template <std::unsigned_integral Length>
    std::string_view sized_text(std::uint64_t bytes_max, std::string_view field) {
        return text(bounded(number<Length>(), bytes_max, field));
    }
    // Reads the number of items that follow, each of at least `bytes_each` ≥ 1 bytes; never more than the remaining
    // bytes can hold.
    template <std::unsigned_integral Count>
    std::uint64_t count(std::size_t bytes_each) {
        const std::uint64_t items = number<Count>();
        if (items <= rest_.size() / bytes_each)
            return items;
        cut_off();
        return 0;
    }

    // Sets the error unless there is one already.
    void fail(ErrorCode code, std::string_view message);

    bool failed() const noexcept { return !status_; }
    // Returns the number of remaining bytes; 0 after an error.
    std::size_t rest_bytes() const noexcept { return rest_.size(); }
    // Returns the offset of the next field; the whole size after an error.
    std::size_t position() const noexcept { return size_bytes_ - rest_.size(); }
    // Whether all fields were read without an error and no bytes remain.
    bool is_complete() const noexcept { return status_ && rest_.empty(); }
    // Returns the first error; malformed if bytes remain.
    Status finish();

private:
    void cut_off();
    std::uint64_t bounded(std::uint64_t size_bytes, std::uint64_t bytes_max, std::string_view field) {
        if (size_bytes <= bytes_max) [[likely]]
            return size_bytes;
        too_long(size_bytes, bytes_max, field);
        return 0;
    }
    void too_long(std::uint64_t size_bytes, std::uint64_t bytes_max, std::string_view field);

    std::span<const std::byte> rest_;  // empty after an error, so that each read makes one comparison
    std::size_t size_bytes_;
    std::string_view subject_;
    Status status_;
};

}  // namespace fardel
