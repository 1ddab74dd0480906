// Files that a verb writes whole.
#pragma once

#include <fardel/base/result.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace fardel {

// Replaces an existing file in one step. Errors: those of stage_file and StagedFile.
Status write_file(const std::string& path, std::span<const std::byte> bytes);
Status write_file(const std::string& path, std::string_view text);

// Fails if a file with this name exists; a link counts, wherever it leads. Error: conflict ("<path>: already exists"
// and `advice`).
Status verify_new_file(const std::string& path, std::string_view advice);

}  // namespace fardel
