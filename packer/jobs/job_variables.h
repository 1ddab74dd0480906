// Expands the ${…} of a processor's command to the command of one job. Pure; any thread.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/tag.h>
#include <fardel/packer/processor.h>

#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// Checks that each ${…} of `argument` is a known variable: in, in:all, out, out:folder, depfile, variant, project,
// name, parameter:KEY, code:PATH. Error: malformed, with what to write instead.
Status verify_variables(const Processor& processor, std::string_view argument);
// Whether `argument` mentions ${name} or ${name:…}.
bool has_variable(std::string_view argument, std::string_view name);

// Returns axis=value,… in the order of the axes; empty: no tags.
std::string format_variant(const Tags& tags);
// Returns the value as it appears in a command: 0.5, true, text.
std::string format_parameter(const ParameterValue& value);

// Returns the arguments after the program's name, with paths relative to the job's folder; an argument with ${in} or
// ${in:all} is repeated for each file. `project_folder`: absolute. Error: malformed.
Result<std::vector<std::string>> expand_command(const ProcessorJob& job, const std::string& project_folder);

}  // namespace fardel
