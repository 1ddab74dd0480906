// The built-in processors: copy, image, rewrite, unpack.
//
// Each reads the sources of a job where its folder has them and leaves files below the folder's `out`, named as the job
// says. Sources are hostile bytes. A built-in's version is part of its jobs' keys: it is raised whenever the same
// source gives other bytes. Any thread.
#pragma once

#include "job_folder.h"

#include <fardel/format/result.h>
#include <fardel/packer/job_run.h>
#include <fardel/packer/processor.h>

#include <span>
#include <string>
#include <string_view>

namespace fardel {

struct Builtin {
    std::string_view name;
    std::string_view version;
    // With any_parameter, other keys are allowed as well.
    std::span<const std::string_view> parameters;
    bool any_parameter = false;
    // If a value is not valid: why, and what to write instead.
    Status (*verify_parameter)(std::string_view key, const ParameterValue& value);
    Status (*run)(const ProcessorJob& job, const JobFolder& folder, const JobEnvironment& environment);
};

std::span<const Builtin> builtins();
// nullptr: there is none of that name.
const Builtin* find_builtin(std::string_view name);

extern const Builtin kCopyBuiltin;
extern const Builtin kImageBuiltin;
extern const Builtin kRewriteBuiltin;
extern const Builtin kUnpackBuiltin;

// The parameter of that key; nullptr: none.
const ParameterValue* find_parameter(const Processor& processor, std::string_view key);
// For the built-ins that take one file. Error: malformed.
Result<const JobInput*> only_source(const ProcessorJob& job);
// The job's one output, or `usual` where the job names none. Error: malformed (several).
Result<std::string> only_output(const ProcessorJob& job, std::string_view usual);

}  // namespace fardel
