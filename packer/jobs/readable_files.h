// The files besides its own that a job may read. The sandbox grants them, and a record of the derived-data cache may
// name them: one list for both.
#pragma once

#include "job_code.h"

#include <fardel/packer/processor.h>

#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// Returns absolute paths of files, and of folders with their contents: those of the system, the program and the files
// of `code`. The sandbox adds files of the kernel, which no record may name.
std::vector<std::string> readable_files(const Processor& processor, const ProgramPlace& program,
                                        const std::string& project_folder);

// Whether the kernel makes up the file when it is opened or read: /proc, /sys and /dev. `path` is absolute and normal.
bool is_of_kernel(std::string_view path);

}  // namespace fardel
