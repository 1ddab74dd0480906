// Reads and writes small text files as a whole: keys and policies.
#pragma once

#include <fardel/base/result.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace fardel {

enum class FileGuard {
    none,
    secret,  // refused if the file is a link, or if anyone except its owner may read or write it
};

// Errors: missing, denied, malformed (not a regular file), limit (longer than `bytes_max`), io.
Result<std::string> read_small_file(const std::string& path, std::size_t bytes_max, FileGuard guard);

// Creates a file that only its owner may read, and syncs it with its folder. Errors: conflict (the path exists; it is
// unchanged), missing (no such folder), denied, no_space, io. No file is left on failure.
Status write_secret_file(const std::string& path, std::string_view text);

}  // namespace fardel
