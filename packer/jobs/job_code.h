// Finds the program of a processor, and the files that are part of it.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/hash.h>
#include <fardel/packer/key_parts.h>
#include <fardel/packer/processor.h>
#include <fardel/sources/observed_path.h>

#include <string>
#include <vector>

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

struct JobCode {
    Hash digest;                 // the result of code_digest
    std::vector<KeyPart> parts;  // what it covers: each file by the name that the project gives it
};

// As code_digest (job_run.h).
Result<JobCode> read_job_code(const Processor& processor, const std::string& project_folder,
                              const std::string& image_program);

// Observes the program and the files of 'code'; a program that is missing is left out.
std::vector<ObservedPath> observe_code(const Processor& processor, const std::string& project_folder);

}  // namespace fardel
