#include "job_code.h"

#include "image_program.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/base/own_program.h>
#include <fardel/base/path_text.h>
#include <fardel/base/text_fields.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/hash.h>
#include <fardel/format/printable.h>
#include <fardel/packer/job_run.h>
#include <fardel/packer/project_path.h>

#include <string_view>
#include <vector>

namespace fardel {
namespace {

Result<Hash> hash_file(const std::string& path) {
    FARDEL_TRY_ASSIGN(const auto source, open_file_source(path));
    std::vector<std::byte> piece(256u << 10);
    Hasher hasher;
    for (std::uint64_t at = 0; at < source->size_bytes();) {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), source->size_bytes() - at));
        FARDEL_TRY(source->read_at(at, std::span(piece).first(count)));
        hasher.update(std::span(piece).first(count));
        at += count;
    }
    return hasher.finish();
}

}  // namespace

Result<std::string> absolute_folder(const std::string& project_folder) {
    auto folder = real_path(project_folder.empty() ? "." : project_folder, in_quotes(project_folder));
    if (!folder)
        return Error(ErrorCode::missing, "the project's folder " + folder.error().message());
    return folder;
}

Result<ProgramPlace> find_program(const Processor& processor, const std::string& project_folder) {
    if (processor.command.empty() || processor.command.front().empty())
        return Error(ErrorCode::missing, "the processor has neither a command nor a built-in");
    const std::string& name = processor.command.front();
    if (folder_part(name).empty()) {
        // Not PATH: two machines, or two shells of one, must find the same program.
        for (std::string_view rest = kJobPath; !rest.empty();) {
            const std::string path = std::string(read_until(rest, ':')) + "/" + name;
            if (is_program(path))
                return ProgramPlace{.path = path, .in_project = false};
        }
        return Error(ErrorCode::missing,
                     "there is no program " + in_quotes(name) + " in " + kJobPath + "; install it, or write its path");
    }
    const std::string path = path_in_project(project_folder, name);
    if (is_program(path))
        return ProgramPlace{.path = path, .in_project = !is_absolute_path(name)};
    const auto status = find_file_status(path, {});
    if (!status || !*status)
        return Error(ErrorCode::missing, "there is no program " + in_quotes(path));
    if (!(*status)->is_file())
        return Error(ErrorCode::malformed, in_quotes(path) + " is not a file");
    return Error(ErrorCode::denied, in_quotes(path) + " may not be executed; try: chmod +x");
}

std::vector<ObservedPath> observe_code(const Processor& processor, const std::string& project_folder) {
    std::vector<ObservedPath> seen;
    for (const std::string& path : processor.code)
        seen.push_back(observe_path(path_in_project(project_folder, path)));
    if (processor.command.empty())
        return seen;
    const auto absolute = absolute_folder(project_folder);
    if (!absolute)
        return seen;
    if (const auto program = find_program(processor, *absolute))
        seen.push_back(observe_path(program->path));
    return seen;
}

Result<JobCode> read_job_code(const Processor& processor, const std::string& project_folder,
                              const std::string& image_program) {
    FARDEL_TRY_ASSIGN(const std::string folder, absolute_folder(project_folder));
    JobCode code;
    Hasher hasher;
    if (processor.builtin == "image") {
        FARDEL_TRY_ASSIGN(const std::string program, find_image_program(image_program));
        FARDEL_TRY_ASSIGN(std::string version, image_program_version(program));
        hasher.update(std::as_bytes(std::span(version)));
        code.parts.push_back({.kind = "program", .name = "fardel-image", .value = std::move(version)});
    }
    const auto add_file = [&](std::string_view kind, const std::string& name, const std::string& path) -> Status {
        auto hash = hash_file(path);
        if (!hash)
            return std::move(hash).error().with_context("processor " + in_quotes(processor.name));
        hasher.update(std::as_bytes(std::span(hash->bytes)));
        code.parts.push_back({.kind = std::string(kind), .name = name, .value = hash->hex()});
        return ok();
    };
    if (processor.builtin.empty()) {
        FARDEL_TRY_ASSIGN(const ProgramPlace program, find_program(processor, folder));
        FARDEL_TRY(add_file("program", processor.command.front(), program.path));
    }
    for (const std::string& file : processor.code)
        FARDEL_TRY(add_file("code", file, path_in_project(folder, file)));
    code.digest = hasher.finish();
    return code;
}

Result<Hash> code_digest(const Processor& processor, const std::string& project_folder,
                         const std::string& image_program) {
    FARDEL_TRY_ASSIGN(const JobCode code, read_job_code(processor, project_folder, image_program));
    return code.digest;
}

}  // namespace fardel
