// The kinds of image that fardel-image reads, and how to recognise their bytes. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace fardel {

enum class ImageKind : std::uint8_t { png, jpeg, tga, bmp };

// Accepts "png", "jpeg", "tga" and "bmp".
std::optional<ImageKind> find_image_kind(std::string_view word);
// Returns the name as people and GraphicsMagick write it: "PNG".
const char* image_kind_name(ImageKind kind);

// Whether the bytes can be an image of that kind. TGA has no magic number: every field of its header must have a value
// that the format allows, which no text and no other image format passes.
bool has_image_head(ImageKind kind, std::span<const std::byte> bytes);

}  // namespace fardel
