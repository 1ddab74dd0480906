#include "builtin.h"

namespace fardel {
namespace {

// Copies the file to each of the output names; if there are none, copies the files under their own names.
Status copy(const ProcessorJob& job, const JobFolder& folder, const JobEnvironment& environment) {
    if (!job.outputs.empty())
        FARDEL_TRY(only_source(job));
    for (const JobInput& source : job.sources) {
        if (job.outputs.empty())
            FARDEL_TRY(folder.copy_output(source, source.name.view(), environment.stop));
        for (const std::string& output : job.outputs)
            FARDEL_TRY(folder.copy_output(source, output, environment.stop));
    }
    return ok();
}

}  // namespace

const Builtin kCopyBuiltin = {.name = "copy", .version = "1", .run = copy};

}  // namespace fardel
