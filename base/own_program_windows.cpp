#include <fardel/base/own_program.h>

namespace fardel {

const std::string_view kProgramEnding = ".exe";

// There is no sandbox that would follow rules.
SandboxRules own_program_rules(const std::string&, const std::string&) { return {}; }

}  // namespace fardel
