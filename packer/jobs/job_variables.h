// The ${…} of a processor's command, and the command that a job of it runs. Pure; any thread.
#pragma once

#include <fardel/format/result.h>
#include <fardel/format/tag.h>
#include <fardel/packer/processor.h>

#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// Whether each ${…} of `argument` is one that there is: in, in:all, out, out:folder, depfile, variant, project, name,
// parameter:KEY, code:PATH. Error: malformed, with what to write instead.
Status verify_variables(const Processor& processor, std::string_view argument);
// Whether `argument` mentions ${name} or ${name:…}.
bool has_variable(std::string_view argument, std::string_view name);

// axis=value,… in the order of the axes; empty: no tags.
std::string format_variant(const Tags& tags);
// As a command has it: 0.5, true, text.
std::string format_parameter(const ParameterValue& value);

// The arguments behind the program's name, relative to the folder of the job; an argument with ${in} or ${in:all} is
// there once for each file. `project_folder`: absolute. Error: malformed.
Result<std::vector<std::string>> expand_command(const ProcessorJob& job, const std::string& project_folder);

}  // namespace fardel
