#include <fardel/packer/farm_job.h>

#include "build_key.h"
#include "job_code.h"
#include "job_folder.h"
#include "job_record.h"
#include "text/record_fields.h"

#include <fardel/base/file.h>
#include <fardel/base/path_text.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/hash.h>
#include <fardel/format/name.h>
#include <fardel/format/printable.h>
#include <fardel/packer/job_run.h>
#include <fardel/packer/project_path.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kTicketMark = "fardel farm job 1";
constexpr std::int64_t kFarmTimeoutSecondsMax = 86'400;  // as in a project
constexpr std::uint32_t kCodeMode = 0755;                // any of them may be a program

// ---- The description ------------------------------------------------------------------------------------------------

struct FarmDescription {
    Processor processor;
    JobSandbox sandbox = JobSandbox::where_possible;
    BuildKey result;
    std::uint64_t sources = 0;  // of the record's outputs, these come first; then other inputs, then code
    std::uint64_t others = 0;
    std::vector<std::string> outputs;
};

void description_fields(auto& record, auto& it) {
    auto& processor = it.processor;
    record.text(processor.name);
    record.text(processor.builtin);
    record.texts(processor.command);
    record.text(processor.version);
    record.texts(processor.code);
    record.list(
        processor.parameters,
        [&](auto& parameter) {
            record.text(parameter.first);
            record.variant(parameter.second);
        },
        16);
    record.list(
        processor.tags,
        [&](auto& tag) {
            record.text(tag.axis);
            record.text(tag.value);
        },
        16);
    record.number(it.sandbox, JobSandbox::off);
    record.id(it.result);
    record.number(it.sources);
    record.number(it.others);
    record.texts(it.outputs);
}

std::string encode_description(const FarmDescription& it, std::chrono::seconds timeout) {
    RecordWriter writer;
    writer.text(kTicketMark);
    description_fields(writer, it);
    writer.number(timeout.count());
    return writer.take();
}

std::optional<FarmDescription> decode_description(std::string_view notes) {
    RecordReader reader(notes);
    if (reader.text() != kTicketMark)
        return std::nullopt;
    FarmDescription it;
    description_fields(reader, it);
    std::int64_t timeout_s = 0;
    reader.number(timeout_s);
    it.processor.timeout = std::chrono::seconds(std::clamp<std::int64_t>(timeout_s, 1, kFarmTimeoutSecondsMax));
    return reader.is_complete() ? std::optional(std::move(it)) : std::nullopt;
}

// The ticket covers the description and every file by name and content.
BuildKey ticket_of(const CacheRecord& record) {
    RecordWriter writer;
    writer.text(record.notes);
    writer.list(record.outputs, [&](const CachedOutput& file) {
        writer.text(file.name);
        writer.id(file.asset);
        writer.number(file.size_bytes);
    });
    return id_from<BuildKey>(writer.digest());
}

// ---- Making a ticket ------------------------------------------------------------------------------------------------

bool lies_in_project(const std::string& path) { return static_cast<bool>(verify_name(path)); }

bool has_own_program(const Processor& processor) {
    return !processor.command.empty() && !folder_part(processor.command.front()).empty() &&
           !is_absolute_path(processor.command.front());
}

// "./tools/mapc" and "tools/mapc" are one file.
std::string project_name(const std::string& path) {
    std::string_view rest = path;
    while (rest.starts_with("./"))
        rest.remove_prefix(2);
    return std::string(rest);
}

// The program's own file, if it is part of the project, and the files of `code`.
std::vector<std::string> code_paths(const Processor& processor) {
    std::vector<std::string> paths;
    if (has_own_program(processor))
        paths.push_back(project_name(processor.command.front()));
    for (const std::string& path : processor.code)
        paths.push_back(project_name(path));
    std::ranges::sort(paths);
    paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
    return paths;
}

// The hash of a file among the parts of a key, which were read when the key was made.
Result<AssetId> hash_among(const std::vector<KeyPart>& code, const std::string& path) {
    for (const KeyPart& part : code)
        if (project_name(part.name) == path)
            return AssetId::parse(part.value);
    return Error(ErrorCode::malformed, "the key covers no file " + in_quotes(path));
}

void add_file(FarmTicket& ticket, const std::string& name, const AssetId& asset, std::uint64_t size_bytes,
              std::shared_ptr<const BlobSource> blob) {
    ticket.record.outputs.push_back({.name = name, .asset = asset, .size_bytes = size_bytes});
    ticket.blobs.push_back(std::move(blob));
}

// ---- On the other machine -------------------------------------------------------------------------------------------

JobInput input_of(const CachedOutput& file, AssetName name, std::shared_ptr<const BlobSource> blob) {
    return {.name = std::move(name), .asset = file.asset, .size_bytes = file.size_bytes, .blob = std::move(blob)};
}

// The folder that stands for the project's: `code`, and no other file of it.
Result<std::shared_ptr<JobFolder>> make_code_folder(const FarmJob& farm, const std::string& scratch,
                                                    const std::stop_token& stop) {
    FARDEL_TRY_ASSIGN(std::shared_ptr<JobFolder> folder, JobFolder::make(scratch));
    for (const FarmCode& code : farm.code) {
        FARDEL_TRY_ASSIGN(AssetName name, AssetName::parse(code.path));
        const JobInput file{
            .name = std::move(name), .asset = code.asset, .size_bytes = code.size_bytes, .blob = code.blob};
        FARDEL_TRY(folder->add_input(file, stop));
        FARDEL_TRY(set_permissions({folder->input_path(file)}, kCodeMode, code.path));
    }
    return folder;
}

std::string describe_farm_job(const FarmJob& farm) {
    const std::string more =
        farm.job.sources.size() == 1 ? "" : " and " + std::to_string(farm.job.sources.size() - 1) + " more";
    return printable(farm.job.processor.name) + ": " + farm.job.sources.front().name.text() + more;
}

}  // namespace

bool is_for_farm(const Processor& processor) {
    return !processor.depfile && !processor.protocol && std::ranges::all_of(code_paths(processor), lies_in_project);
}

Result<FarmTicket> make_farm_ticket(const ProcessorJob& job, const std::vector<KeyPart>& code,
                                    const std::string& folder, JobSandbox sandbox, const BuildKey& result) {
    FarmTicket ticket;
    for (const auto* const inputs : {&job.sources, &job.others})
        for (const JobInput& input : *inputs)
            add_file(ticket, input.name.text(), input.asset, input.size_bytes, input.blob);
    for (const std::string& path : code_paths(job.processor)) {
        const std::string whole = path_in_project(folder, path);
        FARDEL_TRY_ASSIGN(const auto source, open_file_source(whole));
        FARDEL_TRY_ASSIGN(const AssetId asset, hash_among(code, path));
        add_file(ticket, path, asset, source->size_bytes(), make_file_blob(whole));
    }
    ticket.record.notes = encode_description({.processor = job.processor,
                                              .sandbox = sandbox,
                                              .result = result,
                                              .sources = job.sources.size(),
                                              .others = job.others.size(),
                                              .outputs = job.outputs},
                                             job.processor.timeout);
    ticket.record.key = ticket_of(ticket.record);
    return ticket;
}

Result<FarmJob> read_farm_ticket(const CacheHit& hit) {
    const CacheRecord& record = hit.record;
    if (record.key != ticket_of(record))
        return Error(ErrorCode::untrusted, "the record is not what its ticket says");
    auto description = decode_description(record.notes);
    if (!description)
        return Error(ErrorCode::malformed, "the record describes no job, or one of another version of fardel");
    const std::size_t count = record.outputs.size();
    if (description->sources == 0 || description->sources > count || description->others > count - description->sources)
        return Error(ErrorCode::malformed, "the record has fewer files than its job");
    FarmJob farm{.job = {.processor = std::move(description->processor), .outputs = std::move(description->outputs)},
                 .sandbox = description->sandbox,
                 .result = description->result};
    const auto others = static_cast<std::size_t>(description->sources);
    const std::size_t code = others + static_cast<std::size_t>(description->others);
    for (std::size_t i = 0; i < count; ++i) {
        const CachedOutput& file = record.outputs[i];
        FARDEL_TRY_ASSIGN(AssetName name, AssetName::parse(file.name));
        if (i >= code)
            farm.code.push_back(
                {.path = file.name, .blob = hit.outputs[i], .asset = file.asset, .size_bytes = file.size_bytes});
        else
            (i < others ? farm.job.sources : farm.job.others)
                .push_back(input_of(file, std::move(name), hit.outputs[i]));
    }
    return farm;
}

Result<FarmOutcome> run_farm_job(const BuildKey& ticket, DerivedCache& cache, const std::string& scratch,
                                 const std::string& image_program, const std::stop_token& stop) {
    const auto hit = cache.find(ticket);
    if (!hit)
        return Error(ErrorCode::missing, "the cache has no job " + ticket.hex() + ", or not all of its files");
    FARDEL_TRY_ASSIGN(const FarmJob farm, read_farm_ticket(*hit));
    FarmOutcome outcome{.job = describe_farm_job(farm)};
    // A scheduler may start a job again that ended on a node that it lost.
    if (cache.find(farm.result)) {
        outcome.was_there = true;
        return outcome;
    }
    FARDEL_TRY_ASSIGN(const std::shared_ptr<JobFolder> code, make_code_folder(farm, scratch, stop));
    const JobEnvironment environment{.project_folder = code->path_of("in"),
                                     .scratch_folder = scratch,
                                     .image_program = image_program,
                                     .sandbox = farm.sandbox,
                                     .stop = stop};
    FARDEL_TRY_ASSIGN(const Hash digest,
                      code_digest(farm.job.processor, environment.project_folder, environment.image_program));
    if (build_key(farm.job, digest) != farm.result)
        return Error(ErrorCode::missing,
                     outcome.job + ": this machine has another version of the program " +
                         printable(farm.job.processor.command.empty() ? farm.job.processor.builtin
                                                                      : farm.job.processor.command.front()) +
                         " than the one that ordered the job; install the same, or make it a "
                         "part of the project");
    FARDEL_TRY_ASSIGN(const JobResult result, run_job(farm.job, environment));
    std::vector<std::shared_ptr<const BlobSource>> blobs;
    std::ranges::transform(result.outputs, std::back_inserter(blobs), &JobOutput::blob);
    FARDEL_TRY(cache.put(record_of(farm.result, result), blobs));
    outcome.log = result.log;
    return outcome;
}

}  // namespace fardel
