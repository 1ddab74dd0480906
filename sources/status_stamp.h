// A PathStamp from what the system says of a file.
#pragma once

#include <fardel/base/file_status.h>
#include <fardel/sources/path_stamp.h>

#include <cstdint>

namespace fardel {

// `now_ns` is a time of wall_clock_ns() from before the status was taken.
PathStamp stamp_of(const FileStatus& status, std::int64_t now_ns) noexcept;

}  // namespace fardel
