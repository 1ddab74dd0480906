#include "image_kind.h"

#include <algorithm>
#include <array>

namespace fardel {
namespace {

struct KindName {
    ImageKind kind;
    std::string_view word;
    const char* name;
};
constexpr std::array kKinds = {KindName{ImageKind::png, "png", "PNG"}, KindName{ImageKind::jpeg, "jpeg", "JPEG"},
                               KindName{ImageKind::tga, "tga", "TGA"}, KindName{ImageKind::bmp, "bmp", "BMP"}};

bool begins_with(std::span<const std::byte> bytes, std::string_view magic) {
    return bytes.size() >= magic.size() &&
           std::ranges::equal(bytes.first(magic.size()), std::as_bytes(std::span(magic)));
}

// Truevision TGA File Format Specification 2.0, "TGA File Header".
bool is_tga_head(std::span<const std::byte> bytes) {
    constexpr std::size_t kHeadBytes = 18;
    if (bytes.size() < kHeadBytes)
        return false;
    const auto field = [&](std::size_t at) { return std::to_integer<unsigned>(bytes[at]); };
    const unsigned colour_map = field(1);
    const unsigned type = field(2);
    const unsigned map_depth = field(7);
    const unsigned depth = field(16);
    const bool is_mapped = type == 1 || type == 9;
    const bool is_grey = type == 3 || type == 11;
    if (colour_map > 1 || !(is_mapped || is_grey || type == 2 || type == 10) || (is_mapped && colour_map == 0))
        return false;
    constexpr std::array kMapDepths = {0u, 15u, 16u, 24u, 32u};
    constexpr std::array kDepths = {8u, 15u, 16u, 24u, 32u};
    if (colour_map == 1 && std::ranges::find(kMapDepths, map_depth) == kMapDepths.end())
        return false;
    const bool is_sized = (field(12) | field(13)) != 0 && (field(14) | field(15)) != 0;
    return is_sized && std::ranges::find(kDepths, depth) != kDepths.end();
}

}  // namespace

std::optional<ImageKind> find_image_kind(std::string_view word) {
    const auto found = std::ranges::find(kKinds, word, &KindName::word);
    return found == kKinds.end() ? std::nullopt : std::optional(found->kind);
}

const char* image_kind_name(ImageKind kind) { return std::ranges::find(kKinds, kind, &KindName::kind)->name; }

bool has_image_head(ImageKind kind, std::span<const std::byte> bytes) {
    switch (kind) {
        case ImageKind::png: return begins_with(bytes, "\x89PNG\r\n\x1a\n");
        case ImageKind::jpeg: return begins_with(bytes, "\xff\xd8\xff");
        case ImageKind::tga: return is_tga_head(bytes);
        case ImageKind::bmp: return begins_with(bytes, "BM");
    }
    return false;
}

}  // namespace fardel
