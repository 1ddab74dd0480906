#include "field_codec.h"

#include "names/unicode.h"

namespace fardel {

std::span<const std::byte> FieldReader::raw(std::size_t size_bytes) {
    if (failed())
        return {};
    if (size_bytes > rest_.size()) {
        fail(ErrorCode::malformed, "cut off after " + std::to_string(size_bytes_) + " bytes");
        return {};
    }
    const auto bytes = rest_.first(size_bytes);
    rest_ = rest_.subspan(size_bytes);
    return bytes;
}

std::span<const std::byte> FieldReader::sized(std::size_t bytes_max, std::string_view field) {
    const std::size_t size_bytes = u16();
    if (size_bytes > bytes_max)
        fail(ErrorCode::limit, std::string(field) + " of " + std::to_string(size_bytes) + " bytes, at most " +
                                   std::to_string(bytes_max) + " allowed");
    return raw(size_bytes);
}

std::string FieldReader::sized_text(std::size_t bytes_max, std::string_view field) {
    const auto bytes = sized(bytes_max, field);
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void FieldReader::fail(ErrorCode code, std::string_view message) {
    if (!failed())
        status_ = Error(code, std::string(subject_) + ": " + std::string(message));
}

Status FieldReader::finish() {
    if (!rest_.empty())
        fail(ErrorCode::malformed, std::to_string(rest_.size()) + " bytes too many");
    return std::move(status_);
}

bool is_plain_text(std::string_view text) noexcept {
    while (!text.empty()) {
        const unicode::CodePoint point = unicode::decode_first(text);
        const bool control = point.value < 0x20 || (point.value >= 0x7f && point.value < 0xa0);
        if (point.size_bytes == 0 || control)
            return false;
        text.remove_prefix(point.size_bytes);
    }
    return true;
}

std::string encode_hex(std::span<const std::byte> bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string hex;
    hex.reserve(2 * bytes.size());
    for (const std::byte byte : bytes) {
        hex += kDigits[std::to_integer<std::size_t>(byte >> 4)];
        hex += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
    }
    return hex;
}

bool decode_hex(std::string_view hex, std::span<std::byte> out) noexcept {
    if (hex.size() != 2 * out.size() || hex.find_first_not_of("0123456789abcdef") != std::string_view::npos)
        return false;
    const auto digit = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); };
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<std::byte>(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
    return true;
}

}  // namespace fardel
