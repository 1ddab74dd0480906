// Little-endian fields of the small records that are signed or hold signatures: one after another, no alignment.
//
// The reader is for untrusted bytes: its first error sticks, everything read after it is zero or empty, and finish()
// tells. Nothing is allocated before its length has met a limit.
#pragma once

#include "files/bytes.h"

#include <fardel/format/ids.h>
#include <fardel/format/result.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

class FieldWriter {
public:
    void u16(std::uint16_t value) { append_le(bytes_, value); }
    void u32(std::uint32_t value) { append_le(bytes_, value); }
    void u64(std::uint64_t value) { append_le(bytes_, value); }
    void raw(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
    void raw(std::string_view text) { raw(std::as_bytes(std::span(text))); }
    template <std::size_t N>
    void raw(const std::array<std::uint8_t, N>& bytes) {
        raw(std::as_bytes(std::span(bytes)));
    }
    // A u16 length, then the bytes; the caller has checked the length.
    void sized(std::span<const std::byte> bytes) {
        u16(static_cast<std::uint16_t>(bytes.size()));
        raw(bytes);
    }
    void sized(std::string_view text) { sized(std::as_bytes(std::span(text))); }
    void pad_to(std::size_t multiple) { bytes_.resize(align_up(bytes_.size(), multiple)); }

    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
};

class FieldReader {
public:
    // `subject` begins every message, e.g. "statement"; it must live as long as the reader.
    FieldReader(std::span<const std::byte> bytes, std::string_view subject)
        : rest_(bytes), subject_(subject), size_bytes_(bytes.size()) {}

    std::uint16_t u16() { return number<std::uint16_t>(); }
    std::uint32_t u32() { return number<std::uint32_t>(); }
    std::uint64_t u64() { return number<std::uint64_t>(); }
    // A view into the input.
    std::span<const std::byte> raw(std::size_t size_bytes);
    template <class Fixed>  // Id32 or Signature
    Fixed fixed() {
        Fixed value;
        if (const auto bytes = raw(value.bytes.size()); !bytes.empty())
            std::memcpy(value.bytes.data(), bytes.data(), bytes.size());
        return value;
    }
    // A u16 length of at most `bytes_max`, then the bytes; a view into the input.
    std::span<const std::byte> sized(std::size_t bytes_max, std::string_view field);
    std::string sized_text(std::size_t bytes_max, std::string_view field);

    bool failed() const noexcept { return !status_; }
    std::size_t rest_bytes() const noexcept { return rest_.size(); }
    void fail(ErrorCode code, std::string_view message);
    // The first error, or malformed if bytes are left over.
    Status finish();

private:
    template <class T>
    T number() {
        const auto bytes = raw(sizeof(T));
        return bytes.empty() ? T{0} : load_le<T>(bytes.data());
    }

    std::span<const std::byte> rest_;
    std::string_view subject_;
    std::size_t size_bytes_;
    Status status_;
};

// Whether `text` is well-formed UTF-8 without control characters (C0, DEL, C1): what free text in a record may be.
bool is_plain_text(std::string_view text) noexcept;

// Lower-case hexadecimal digits; decode_hex wants exactly 2 × out.size() of them, and writes nothing otherwise.
std::string encode_hex(std::span<const std::byte> bytes);
bool decode_hex(std::string_view hex, std::span<std::byte> out) noexcept;

}  // namespace fardel
