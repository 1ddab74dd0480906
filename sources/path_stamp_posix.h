// A PathStamp from what the system calls it.
#pragma once

#include <fardel/sources/path_stamp.h>

struct stat;

namespace fardel {

// `now_ns`: a time before which the status was taken.
PathStamp stamp_of(const struct ::stat& status, std::int64_t now_ns) noexcept;
// By the clock that file systems use.
std::int64_t file_clock_ns() noexcept;

}  // namespace fardel
