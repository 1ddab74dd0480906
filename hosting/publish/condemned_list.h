// The list of condemned files in a static tree: which files are removed after a while, because nothing that is kept
// needs them. docs/publishing.md is the specification.
//
// A value; no I/O. The bytes are untrusted.
#pragma once

#include <fardel/base/result.h>
#include <fardel/base/unix_time.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace fardel {

inline constexpr std::string_view kCondemnedListPath = "condemned";
// Longer than any removal takes: afterwards a prune that has announced removals is dead.
inline constexpr std::uint64_t kRemovalLeaseSeconds = 3600;

struct CondemnedFile {
    bool is_being_removed = false;
    UnixTime since;  // when it was condemned, or when its removal was announced

    bool operator==(const CondemnedFile&) const = default;
};

// By path below the tree.
using CondemnedFiles = std::map<std::string, CondemnedFile>;

std::string format_condemned_list(const CondemnedFiles& list);
// Accepts only what format_condemned_list() returns. Error: malformed.
Result<CondemnedFiles> parse_condemned_list(std::string_view text);

// Whether another prune may still be removing the file. Without a time, one that has announced it is.
bool is_removal_alive(const CondemnedFile& file, std::optional<UnixTime> now) noexcept;

}  // namespace fardel
