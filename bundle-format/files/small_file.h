// Small text files, whole: keys and policies.
#pragma once

#include <fardel/format/result.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace fardel {

enum class FileGuard {
    none,
    secret,  // refused when it is a link, or when anyone but its owner may read or write it
};

// Errors: missing, denied, malformed (not a regular file), limit (longer than `bytes_max`), io.
Result<std::string> read_small_file(const std::string& path, std::size_t bytes_max, FileGuard guard);

// A new file that only its owner may read, synced with its folder. Errors: conflict (something is there; it is
// unchanged), missing (no such folder), denied, no_space, io. No file is left on failure.
Status write_secret_file(const std::string& path, std::string_view text);

}  // namespace fardel
