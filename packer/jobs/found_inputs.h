// What a job says it read besides its inputs, looked at once it is over: what it is, and that nobody edited it
// meanwhile.
#pragma once

#include "job_folder.h"

#include <fardel/format/result.h>
#include <fardel/packer/processor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fardel {

// Time as the file system counts it, which is coarser than a clock's.
struct FileTime {
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;

    friend auto operator<=>(const FileTime&, const FileTime&) = default;
};

// The next tick: what was written before this was called has an earlier time, what is written after it this or a later
// one.
Result<FileTime> next_file_time(const JobFolder& folder);

// `read` and `missing`: as a job in `folder` that began at `begin` names them, relative to where it started or
// absolute; its own files are left out. By path, each once. `project_folder`: absolute. Errors: conflict (edited since
// `begin`, or missing and there now), malformed (neither a file nor missing), denied, io.
Result<std::vector<FoundInput>> look_at_inputs(const std::vector<std::string>& read,
                                               const std::vector<std::string>& missing, const JobFolder& folder,
                                               FileTime begin, const std::string& project_folder);

}  // namespace fardel
