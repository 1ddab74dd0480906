// The jobs of a build: observes what they depend on besides the sources, runs them, and returns the resulting files.
#include "build_state.h"
#include "job_scratch.h"
#include "jobs/job_code.h"
#include "text/record_fields.h"

#include <fardel/base/folder.h>
#include <fardel/format/name.h>
#include <fardel/packer/project_path.h>

#include <algorithm>
#include <utility>

namespace fardel {

namespace {

std::string encode_paths(const std::vector<std::string>& paths) {
    RecordWriter writer;
    writer.texts(paths);
    return writer.take();
}

template <class Record, class Part>
void list_fields(Record& record, Part& part) {
    record.text(part.kind);
    record.text(part.name);
    record.text(part.value);
}

std::string encode_parts(const std::vector<KeyPart>& parts) {
    RecordWriter writer;
    writer.list(parts, [&](const KeyPart& part) { list_fields(writer, part); });
    return writer.take();
}

// Of another version's note nothing is known.
std::optional<std::vector<KeyPart>> decode_parts(std::string_view note) {
    RecordReader reader(note);
    std::vector<KeyPart> parts;
    reader.list(
        parts, [&](KeyPart& part) { list_fields(reader, part); }, 24);
    return reader.is_complete() ? std::optional(std::move(parts)) : std::nullopt;
}

ExplainedJob explain(std::string job, const LoggedJob& logged, const std::optional<std::vector<KeyPart>>& before) {
    ExplainedJob explained{.job = std::move(job)};
    if (logged.origin == ResultOrigin::verified) {
        explained.reason = RunReason::verified;
    } else if (before) {
        explained.changes = changes_between(*before, logged.parts);
        explained.reason = explained.changes.empty() ? RunReason::no_result : RunReason::changed;
    }
    return explained;
}

}  // namespace

std::string found_note_name(const JobGraph& graph, JobIndex job) {
    RecordWriter writer;
    writer.text(graph.processor_of(job).name);
    for (const FileIndex file : graph.jobs()[job].sources)
        writer.text(graph.files()[file].name.view());
    return "found " + writer.digest().hex();
}

std::vector<std::string> decode_paths(std::string_view note) {
    RecordReader reader(note);
    std::vector<std::string> paths;
    reader.texts(paths);
    return paths;
}

void ProjectBuild::State::observe_inputs() {
    for (const ProjectDependency& dependency : project.dependencies)
        if (!dependency.file.empty())
            seen.push_back(observe_path(path_in_project(folder, dependency.file)));
    if (project.references && is_profile_file(project.references->profile))
        seen.push_back(observe_path(path_in_project(folder, project.references->profile)));
    for (const std::string& path : options.watched)
        seen.push_back(observe_path(path));
    // If a program is missing, the processor's first job fails.
    for (const Processor& processor : project.processors)
        std::ranges::move(observe_code(processor, folder), std::back_inserter(seen));
    for (const ProjectScanner& scanner : project.scanners)
        std::ranges::move(observe_code(scanner.program, folder), std::back_inserter(seen));
}

Status ProjectBuild::State::verify_confinement() {
    const auto has_command = [](const Processor& processor) { return !processor.command.empty(); };
    const bool has_commands = std::ranges::any_of(project.processors, has_command) ||
                              std::ranges::any_of(project.scanners, has_command, &ProjectScanner::program);
    // Pictures are decoded by a program of Fardel, which is always confined where that is possible.
    const bool has_pictures =
        std::ranges::find(project.processors, "image", &Processor::builtin) != project.processors.end();
    if (!has_commands && !has_pictures)
        return ok();
    if (has_commands || project.sandbox != JobSandbox::off)
        unconfined = unconfined_reason(project.sandbox);
    if (const Status possible = verify_sandbox(project.sandbox); !possible)
        return Error(possible.error()).with_context(printable(project.file));
    return ok();
}

Result<JobEnvironment> ProjectBuild::State::job_environment(const std::string& scratch) {
    if (!readable_project) {
        FARDEL_TRY_ASSIGN(std::string project_folder, absolute_folder(folder));
        FARDEL_TRY_ASSIGN(std::string scratch_path, real_path(scratch, scratch));
        // A job may read the project, but neither its keys nor its tokens.
        std::vector<std::string> secrets = options.secrets;
        for (const MergedCache& layer : caches.layers)
            if (!layer.setting.token_file.empty())
                secrets.push_back(layer.setting.token_file);
        if (!project.key.empty())
            secrets.push_back(path_in_project(folder, project.key));
        readable_project =
            std::make_shared<ReadableProject>(std::move(project_folder), std::move(scratch_path), std::move(secrets));
    }
    return JobEnvironment{.project_folder = folder,
                          .scratch_folder = scratch,
                          .image_program = options.image_program,
                          .sandbox = project.sandbox,
                          .readable_project = readable_project,
                          .stop = options.stop};
}

Result<JobsRun> ProjectBuild::State::run_processors(JobGraph& job_graph, FileContents contents) {
    // Without somebody who keeps them, runs end with the build.
    const auto running = options.running ? options.running : std::make_shared<RunningJobs>();
    if (job_graph.jobs().empty()) {
        running->cancel_all();
        return JobsRun{.contents = std::move(contents)};
    }
    FARDEL_TRY(open_cache());
    FARDEL_TRY_ASSIGN(auto scratch, JobScratch::open(options.build_folder));
    const std::string scratch_path = scratch->path();
    FARDEL_TRY_ASSIGN(JobEnvironment environment, job_environment(scratch_path));
    FARDEL_TRY_ASSIGN(
        JobsRun run,
        run_jobs(job_graph, std::move(contents),
                 {.environment = std::move(environment),
                  .scratch = std::move(scratch),
                  .cache = cache,
                  .running = &running->state(),
                  .jobs = options.jobs,
                  .memory_bytes = options.memory_bytes,
                  .run_on_farm = farm_below(scratch_path),
                  .sending = [this](std::uint64_t jobs) { report_progress("farm", 0, jobs); },
                  .progress = [this](std::uint64_t done,
                                     std::uint64_t total) { report_progress("processing", done, total); }}));
    for (const FoundPaths& found : run.found)
        FARDEL_TRY(database.write_note(found_note_name(job_graph, found.job), encode_paths(found.paths)));
    FARDEL_TRY(explain_jobs(job_graph, std::exchange(run.logged, {})));
    for (const GraphJob& job : job_graph.jobs())
        job_positions.insert(job.at.text());
    logs = std::exchange(run.logs, {});
    different = std::exchange(run.different, {});
    std::ranges::move(run.seen, std::back_inserter(seen));
    counts.jobs = run.run + run.from_cache;
    counts.jobs_run = run.run;
    counts.jobs_sent = run.sent;
    counts.jobs_returned = run.returned;
    return run;
}

Status ProjectBuild::State::explain_jobs(const JobGraph& job_graph, std::map<JobIndex, LoggedJob> jobs) {
    for (auto& [index, job] : jobs) {
        const std::string name = "parts of " + job.job;
        const std::string parts = encode_parts(job.parts);
        FARDEL_TRY_ASSIGN(const auto note, database.find_note(name));
        if (job.origin != ResultOrigin::cache)
            explained.push_back(explain(job_graph.describe(index), job, note ? decode_parts(*note) : std::nullopt));
        if (note != parts)
            FARDEL_TRY(database.write_note(name, parts));
        if (options.all_jobs)
            logged.push_back(std::move(job));
    }
    return ok();
}

std::vector<ProjectFile> ProjectBuild::State::project_files(const JobGraph& job_graph, JobsRun run) const {
    IndexedList<std::vector<FoundReference>, FileIndex> references(run.contents.size());
    for (FileReference& reported : run.references)
        references[reported.file].push_back(std::move(reported.reference));
    std::vector<ProjectFile> files;
    files.reserve(run.contents.size());
    for (FileIndex i{}; i < run.contents.end_index(); ++i) {
        const GraphFile& file = job_graph.files()[i];
        FileContent& content = run.contents[i];
        if (!file.consumed)
            files.push_back({.name = file.name,
                             .size_bytes = content.size_bytes,
                             .blob = std::move(content.blob),
                             .content_type = std::move(content.content_type),
                             .asset = content.asset,
                             .tags = file.tags,
                             .references = std::move(references[i])});
    }
    // The order of sources and jobs is not that of the bundle.
    std::ranges::sort(files, {}, &ProjectFile::name);
    return files;
}

}  // namespace fardel
