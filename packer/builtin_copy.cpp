#include "builtin.h"

#include <filesystem>
#include <system_error>

namespace fardel {
namespace {

Status copy_to(const std::string& from, const JobFolder& folder, const std::string& name) {
    FARDEL_TRY_ASSIGN(const std::string path, folder.new_output_path(name));
    std::error_code error;
    if (std::filesystem::copy_file(from, path, error); error)
        return Error(error == std::errc::no_space_on_device ? ErrorCode::no_space : ErrorCode::io, "the output '" + printable(name) + "': " + error.message());
    return ok();
}

// The file under each of the names; the files under their own names where none are given.
Status copy(const Job& job, const JobFolder& folder, const std::stop_token& stop) {
    if (!job.outputs.empty())
        FARDEL_TRY(only_source(job));
    for (const JobInput& source : job.sources) {
        if (stop.stop_requested())
            return Error(ErrorCode::cancelled, "stopped");
        if (job.outputs.empty())
            FARDEL_TRY(copy_to(folder.input_path(source), folder, source.name.text()));
        for (const std::string& output : job.outputs)
            FARDEL_TRY(copy_to(folder.input_path(source), folder, output));
    }
    return ok();
}

}  // namespace

const Builtin kCopyBuiltin = {.name = "copy", .version = [] { return std::string("1"); }, .parameters = {}, .any_parameter = false, .verify_parameter = [](std::string_view, const ParameterValue&) { return ok(); }, .run = copy};

}  // namespace fardel
