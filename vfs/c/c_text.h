// Texts for callers' buffers.
#pragma once

#include <fardel/format/c_interface.h>

#include <cstddef>
#include <cstring>
#include <string>

namespace fardel::c {

// Copies a text with NUL into the caller's buffer. Error: limit (no room; `needed_bytes` says how much).
inline fardel_code give_text(const std::string& text, char* buffer, std::size_t size_bytes, std::size_t* needed_bytes,
                             const Report& report) {
    if (needed_bytes != nullptr)
        *needed_bytes = text.size() + 1;
    if (size_bytes <= text.size())
        return report.fail(FARDEL_ERROR_LIMIT, "the buffer is too small for the text");
    std::memcpy(buffer, text.c_str(), text.size() + 1);
    return FARDEL_OK;
}

}  // namespace fardel::c
