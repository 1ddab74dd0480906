// Reads a whole blob in steps of a given size; returns its bytes or the error.
#pragma once

#include <fardel/format/bundle_plan.h>

#include <algorithm>
#include <span>
#include <string>

namespace fardel {

inline Result<std::string> read_blob(const BlobSource& blob, std::size_t step = 4096) {
    FARDEL_TRY_ASSIGN(const auto stream, blob.open());
    std::string text;
    for (std::string buffer(step, '\0');;) {
        FARDEL_TRY_ASSIGN(const std::size_t count, stream->read(std::as_writable_bytes(std::span(buffer))));
        if (count == 0)
            return text;
        text.append(buffer, 0, count);
    }
}

}  // namespace fardel
