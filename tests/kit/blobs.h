// Blobs in memory, and the bytes of any blob. generated_blob.h has those that do not fit into memory.
#pragma once

#include "bytes.h"

#include <fardel/format/bundle_plan.h>

#include <memory>
#include <string>
#include <string_view>

namespace fardel::tests {

inline std::shared_ptr<const BlobSource> blob_of(std::string_view text) { return make_memory_blob(bytes_of(text)); }

// Reads the whole blob in steps of a given size; returns its bytes or the error.
inline Result<Bytes> read_blob(const BlobSource& blob, std::size_t step = 4096) {
    FARDEL_TRY_ASSIGN(const auto stream, blob.open());
    Bytes whole;
    for (Bytes buffer(step);;) {
        FARDEL_TRY_ASSIGN(const std::size_t count, stream->read(buffer));
        if (count == 0)
            return whole;
        whole.insert(whole.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(count));
    }
}

inline Result<std::string> read_blob_text(const BlobSource& blob, std::size_t step = 4096) {
    FARDEL_TRY_ASSIGN(const Bytes bytes, read_blob(blob, step));
    return text_of(bytes);
}

}  // namespace fardel::tests
