// Records of a fixed size, field after field in little-endian bytes, no alignment. The size has been checked before;
// the reader cannot run out, and it notes the first field that does not have its form.
#pragma once

#include <fardel/format/ids.h>
#include <fardel/format/result.h>

#include <algorithm>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace fardel {

class FixedWriter {
public:
    explicit FixedWriter(std::span<std::byte> out) : rest_(out) {}
    ~FixedWriter() { assert(rest_.empty()); }
    FixedWriter(const FixedWriter&) = delete;
    FixedWriter& operator=(const FixedWriter&) = delete;

    void raw(std::span<const std::byte> bytes) { std::ranges::copy(bytes, take(bytes.size()).begin()); }
    template <class Tag>
    void id(const Id32<Tag>& id) {
        raw(std::as_bytes(std::span(id.bytes)));
    }
    template <std::unsigned_integral T>
    void number(T value) {
        for (std::byte& byte : take(sizeof value)) {
            byte = static_cast<std::byte>(value & 0xff);
            value = static_cast<T>(value >> (sizeof value > 1 ? 8 : 0));
        }
    }
    // Then zeros up to `size_bytes`.
    void padded(std::string_view text, std::size_t size_bytes) {
        const auto field = take(size_bytes);
        std::ranges::fill(field, std::byte{0});
        std::ranges::copy(std::as_bytes(std::span(text)), field.begin());
    }
    // Magic of 8 bytes, version 1.0, no required features.
    void header(std::string_view magic) {
        raw(std::as_bytes(std::span(magic)));
        number<std::uint16_t>(1);
        number<std::uint16_t>(0);
        number<std::uint32_t>(0);
    }

private:
    std::span<std::byte> take(std::size_t size_bytes) {
        const auto part = rest_.first(size_bytes);
        rest_ = rest_.subspan(size_bytes);
        return part;
    }
    std::span<std::byte> rest_;
};

inline constexpr std::size_t kFixedHeaderBytes = 16;

class FixedReader {
public:
    // `subject` begins every message, e.g. "pure offer"; it must live as long as the reader.
    FixedReader(std::span<const std::byte> bytes, std::size_t size_bytes, std::string_view subject)
        : rest_(bytes), subject_(subject) {
        if (bytes.size() != size_bytes)
            fail(ErrorCode::malformed, std::to_string(bytes.size()) + " bytes, not " + std::to_string(size_bytes));
    }

    std::span<const std::byte> raw(std::size_t size_bytes) {
        static constexpr std::byte kZeros[512] = {};
        if (!status_)
            return std::span(kZeros).first(size_bytes);
        const auto part = rest_.first(size_bytes);
        rest_ = rest_.subspan(size_bytes);
        return part;
    }
    template <class Id>
    Id id() {
        Id id;
        std::memcpy(id.bytes.data(), raw(id.bytes.size()).data(), id.bytes.size());
        return id;
    }
    template <std::unsigned_integral T>
    T number() {
        T value = 0;
        const auto bytes = raw(sizeof(T));
        for (std::size_t i = 0; i < sizeof(T); ++i)
            value = static_cast<T>(value | static_cast<T>(static_cast<T>(bytes[i]) << 8 * i));
        return value;
    }
    void header(std::string_view magic) {
        if (!std::ranges::equal(raw(magic.size()), std::as_bytes(std::span(magic))))
            fail(ErrorCode::malformed, "does not begin with " + std::string(magic));
        if (const auto major = number<std::uint16_t>(); major != 1)
            fail(ErrorCode::unsupported, "version " + std::to_string(major) + ", this library knows 1");
        if (number<std::uint16_t>() != 0)
            fail(ErrorCode::unsupported, "a later minor version; this library knows 1.0");
        if (number<std::uint32_t>() != 0)
            fail(ErrorCode::unsupported, "needs a feature that this library does not know");
    }
    void fail(ErrorCode code, std::string_view message) {
        if (status_)
            status_ = Error(code, std::string(subject_) + ": " + std::string(message));
    }
    Status finish() {
        assert(!status_ || rest_.empty());
        return std::move(status_);
    }

private:
    std::span<const std::byte> rest_;
    std::string_view subject_;
    Status status_;
};

}  // namespace fardel
