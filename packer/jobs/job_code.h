// Finds the program of a processor.
#pragma once

#include <fardel/base/result.h>
#include <fardel/packer/processor.h>

#include <string>

namespace fardel {

// The PATH of all jobs on all machines: a program in another folder must be named with its folder.
inline constexpr const char* kJobPath = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

// Returns the absolute path of the folder; the working folder if `project_folder` is empty.
Result<std::string> absolute_folder(const std::string& project_folder);

struct ProgramPlace {
    std::string path;         // absolute
    bool in_project = false;  // named with a path relative to the project's folder
};

// `project_folder`: absolute. Errors: missing, denied (it is not executable), malformed (a folder).
Result<ProgramPlace> find_program(const Processor& processor, const std::string& project_folder);

}  // namespace fardel
