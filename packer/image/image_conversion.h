// Decodes, turns upright, resizes and encodes one image with GraphicsMagick. Only the program fardel-image links it.
//
// The bytes are hostile. Only GraphicsMagick's decoders of PNG, JPEG, TGA and BMP can be reached: others start
// programs, open files that an image names, or fetch URLs. Limits are process-wide; one thread.
#pragma once

#include "image_kind.h"

#include <fardel/base/result.h>

#include <cstddef>
#include <span>
#include <string>

namespace fardel {

struct ImageConversion {
    ImageKind from = ImageKind::png;
    ImageKind to = ImageKind::png;  // not bmp
    double scale = 1;
    unsigned long width_max = 0;  // 0: no limit
    unsigned long height_max = 0;
    unsigned long quality = 90;  // for JPEG
};

// Returns the name and version of the installed library, "GraphicsMagick 1.3.40".
std::string image_library_version();

// Sets the library's limits and disables every other decoder. Call it before the first conversion.
void start_image_library();

// Errors: malformed (bytes that are not a valid image of the kind `from`), limit.
Result<std::string> convert_image(std::span<const std::byte> bytes, const ImageConversion& conversion);

}  // namespace fardel
