#include "builtin.h"

#include <algorithm>
#include <array>

namespace fardel {

std::span<const Builtin> builtins() {
    static const std::array all = {kCopyBuiltin, kImageBuiltin, kRewriteBuiltin, kUnpackBuiltin};
    return all;
}

const Builtin* find_builtin(std::string_view name) {
    const auto found = std::ranges::find(builtins(), name, &Builtin::name);
    return found == builtins().end() ? nullptr : &*found;
}

Result<const JobInput*> only_source(const ProcessorJob& job) {
    if (job.sources.size() == 1)
        return &job.sources.front();
    return Error(ErrorCode::malformed, "the built-in '" + job.processor.builtin + "' takes one file, and the job has " +
                                           std::to_string(job.sources.size()));
}

Result<std::string> only_output(const ProcessorJob& job, std::string_view usual) {
    if (job.outputs.empty())
        return std::string(usual);
    if (job.outputs.size() == 1)
        return job.outputs.front();
    return Error(ErrorCode::malformed, "the built-in '" + job.processor.builtin +
                                           "' makes one file, and 'outputs' names " +
                                           std::to_string(job.outputs.size()));
}

}  // namespace fardel
