// Files that a job reports to have read besides its inputs: after the job they are hashed, and it is verified that they
// were not edited while it ran.
#pragma once

#include "job_folder.h"

#include <fardel/format/result.h>
#include <fardel/packer/processor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fardel {

// Time as the file system counts it, which is coarser than a clock's: nanoseconds since 1970.
using FileTime = std::int64_t;

// The next tick of the file system: whatever was written before the call has an earlier time, whatever is written after
// it has this time or a later one.
Result<FileTime> next_file_time(const JobFolder& folder);

// `read` and `missing`: as a job in `folder` that began at `begin` names them, relative to where it started or
// absolute; its own files are left out. By path, each once. `project_folder`: absolute. Errors: conflict (edited since
// `begin`, or missing and there now), malformed (neither a file nor missing), denied, io.
Result<std::vector<FoundInput>> look_at_inputs(const std::vector<std::string>& read,
                                               const std::vector<std::string>& missing, const JobFolder& folder,
                                               FileTime begin, const std::string& project_folder);

}  // namespace fardel
