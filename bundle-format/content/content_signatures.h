// What content begins with: the tables behind content_type() and classify_bytes().
#pragma once

#include <fardel/format/content_class.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

namespace fardel {

struct BytePattern {
    std::size_t at = 0;
    std::string_view bytes;

    bool matches(std::span<const std::byte> head) const noexcept {
        return at + bytes.size() <= head.size() &&
               (bytes.empty() || std::memcmp(head.data() + at, bytes.data(), bytes.size()) == 0);
    }
};

template <std::size_t N>
constexpr std::string_view raw_bytes_of(const char (&literal)[N]) {  // including its zero bytes
    return {literal, N - 1};
}

// What a compiled program, byte code or an archive begins with; data if the bytes are none of these.
ContentFinding find_code(std::span<const std::byte> head);
// Whether pictures, sounds, models or fonts begin like this.
bool is_media(std::span<const std::byte> head);

}  // namespace fardel
