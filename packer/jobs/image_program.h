// Finds fardel-image, the program that decodes images for the built-in "image", and runs one conversion.
//
// It runs confined, with limits on its memory, time and output. Any thread.
#pragma once

#include "job_folder.h"

#include <fardel/base/result.h>

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

namespace fardel {

struct ImageRequest {
    std::string in;         // relative to the job's folder
    std::string out;        // relative to the job's folder; the folder of the file exists
    std::string_view from;  // "png", "jpeg", "tga" or "bmp"
    std::string_view to;    // "png", "jpeg" or "tga"
    double scale = 1;
    std::int64_t width_max = 0;  // 0: no limit
    std::int64_t height_max = 0;
    std::int64_t quality = 90;
};

// Returns `wanted` or, if that is empty, the program beside the running program, in its ../libexec/fardel, or where
// this library was installed. Error: missing.
Result<std::string> find_image_program(const std::string& wanted);

// Returns the program's own version text, "GraphicsMagick 1.3.40". Errors: missing, unresolved (the program fails).
Result<std::string> image_program_version(const std::string& program);

// Errors: malformed, limit (pixels, memory, time), unresolved (the program fails), cancelled, no_space, io.
Status run_image_program(const std::string& program, const ImageRequest& request, const JobFolder& folder,
                         const std::stop_token& stop);

}  // namespace fardel
