// Where the program of a processor is.
#pragma once

#include <fardel/format/result.h>
#include <fardel/packer/processor.h>

#include <string>

namespace fardel {

// What jobs have as PATH, wherever they run: what lies elsewhere is named with its folder.
inline constexpr const char* kJobPath = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

// Absolute; the working folder, if empty.
Result<std::string> absolute_folder(const std::string& project_folder);

// Whether `path` is a regular file that may be executed.
bool is_program(const std::string& path);

struct ProgramPlace {
    std::string path;         // absolute
    bool in_project = false;  // named with a path that begins at the project's folder
};

// `project_folder`: absolute. Errors: missing, denied (it may not be executed), malformed (a folder).
Result<ProgramPlace> find_program(const Processor& processor, const std::string& project_folder);

}  // namespace fardel
