// Reading whole files for publishing, with progress.
#pragma once

#include <fardel/hosting/tree_target.h>

#include <cstdint>
#include <functional>
#include <span>

namespace fardel {

// Passes the bytes of the file to `receive`, in pieces and in order. Errors: cancelled, those of the file and of
// `receive`.
Status read_file_pieces(const ByteSource& file, const PublishWork& work,
                        const std::function<Status(std::uint64_t offset, std::span<const std::byte> piece)>& receive);

// Reads both files to their ends, unless their sizes differ.
Result<bool> has_equal_bytes(const ByteSource& file, const ByteSource& other, const PublishWork& work);

}  // namespace fardel
