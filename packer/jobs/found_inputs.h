// Handles files that a job reports to have read besides its inputs: they are hashed after the job, and it is verified
// that they were not edited while it ran.
#pragma once

#include "job_folder.h"

#include <fardel/base/result.h>
#include <fardel/packer/processor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fardel {

// Time as the file system measures it, which is coarser than a clock: nanoseconds since 1970.
using FileTime = std::int64_t;

// Waits for the next tick of the file system: anything written before the call has an earlier time; anything written
// after it has this time or a later one.
Result<FileTime> next_file_time(const JobFolder& folder);

// Returns the found inputs by path, each once. `read` and `missing`: the paths that a job in `folder` reports, relative
// to its starting folder or absolute; its own files are left out. `begin`: when the job began. `project_folder`:
// absolute. Errors: conflict (edited since `begin`, or reported missing and present now), malformed (neither a file nor
// missing), denied, io.
Result<std::vector<FoundInput>> look_at_inputs(const std::vector<std::string>& read,
                                               const std::vector<std::string>& missing, const JobFolder& folder,
                                               FileTime begin, const std::string& project_folder);

}  // namespace fardel
