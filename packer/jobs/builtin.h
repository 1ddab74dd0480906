// The built-in processors: copy, image, rewrite, unpack.
//
// Each reads the sources of a job from the job's folder and writes files below the folder's `out`, under the names that
// the job states. Sources are hostile bytes. A built-in's version is part of its jobs' keys: it is raised whenever the
// same source gives different bytes. Any thread.
#pragma once

#include "job_folder.h"

#include <fardel/base/result.h>
#include <fardel/packer/job_run.h>
#include <fardel/packer/processor.h>

#include <span>
#include <string>
#include <string_view>

namespace fardel {

struct Builtin {
    std::string_view name;
    std::string_view version;
    // If `any_parameter` is set, other keys are allowed as well.
    std::span<const std::string_view> parameters;
    bool any_parameter = false;
    // The error of an invalid value says why it is invalid and what to write instead.
    Status (*verify_parameter)(std::string_view key, const ParameterValue& value) =
        [](std::string_view, const ParameterValue&) { return ok(); };
    Status (*run)(const ProcessorJob& job, const JobFolder& folder, const JobEnvironment& environment);
};

std::span<const Builtin> builtins();
// Returns nullptr if no built-in has that name.
const Builtin* find_builtin(std::string_view name);

extern const Builtin kCopyBuiltin;
extern const Builtin kImageBuiltin;
extern const Builtin kRewriteBuiltin;
extern const Builtin kUnpackBuiltin;

// For built-ins that take one file. Error: malformed.
Result<const JobInput*> only_source(const ProcessorJob& job);
// Returns the job's one output, or `usual` if the job names none. Error: malformed (several).
Result<std::string> only_output(const ProcessorJob& job, std::string_view usual);

}  // namespace fardel
