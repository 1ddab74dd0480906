// LockFile: which bundles are installed, and why: what `fardel install` writes and `fardel mount --lock` shows.
//
// docs/installing.md defines the text. It has ids and no paths, and whoever has it gets the same bundles. It may come
// from somebody else: parse_lock_file verifies its form and that it is closed; what it says of bundles counts only as
// far as verify_resolution() finds it in them.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/resolve.h>
#include <fardel/format/ids.h>
#include <fardel/format/name.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::size_t kLockBytesMax = 16u << 20;
inline constexpr std::size_t kLockSourcesMax = 16;
inline constexpr std::size_t kLockRootsMax = 1024;

struct LockFile {
    std::string channel;
    Hash channel_id;  // the same in all roots of the channel
    std::uint64_t release = 0;
    std::vector<ForeignUrl> sources;  // static trees
    Resolution resolution;

    friend bool operator==(const LockFile&, const LockFile&) = default;
};

// Errors: malformed (with the number of the line; it names a bundle that is not in it, or has one that nothing needs),
// unsupported, limit.
Result<LockFile> parse_lock_file(std::string_view text);
std::string format_lock_file(const LockFile& lock);

// Errors: missing, denied, io, those of parse_lock_file; malformed (a link, or not a regular file).
Result<LockFile> read_lock_file(const std::string& path);
// Nothing if there is no such file. Errors: those of read_lock_file.
Result<std::optional<LockFile>> find_lock_file(const std::string& path);
// Replaces the file in one step. Errors: those of write_small_file; limit.
Status write_lock_file(const std::string& path, const LockFile& lock);

}  // namespace fardel
