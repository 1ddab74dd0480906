#include <fardel/packer/build.h>

#include "build_cache.h"
#include "build_database.h"
#include "job_queue.h"
#include "jobs/job_code.h"
#include "plan/plan_digest.h"
#include "source_digest.h"
#include "text/record_bytes.h"

#include <fardel/format/byte_source.h>
#include <fardel/format/hash.h>
#include <fardel/packer/project_files.h>
#include <fardel/packer/project_path.h>
#include <fardel/packer/project_plan.h>
#include <fardel/sources/legacy_archives.h>
#include <fardel/sources/source_scan.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>
#include <system_error>
#include <unordered_map>
#include <utility>

namespace fardel {
namespace {

std::string build_folder_of(const std::string& folder, const BuildOptions& options) {
    return options.build_folder.empty() ? path_in_project(folder, std::string(kBuildFolder)) : options.build_folder;
}

Result<BuildDatabase> open_database(const std::string& build_folder) {
    std::error_code error;
    std::filesystem::create_directories(build_folder, error);
    if (error)
        return Error(error == std::errc::permission_denied    ? ErrorCode::denied
                     : error == std::errc::no_space_on_device ? ErrorCode::no_space
                                                              : ErrorCode::io,
                     printable(build_folder) + ": cannot be made: " + error.message());
    return BuildDatabase::open(build_folder + "/build.sqlite");
}

// A bundle that was just written is young for a while; nobody else writes there.
bool is_there(const FinishedBundle& bundle) { return looks_unchanged(bundle.stamp, stamp_path(bundle.path)); }

// Under which name the database keeps what a job found.
std::string found_note_of(const JobGraph& graph, JobIndex job) {
    RecordWriter writer;
    writer.text(graph.processor_of(job).name);
    for (const FileIndex file : graph.jobs()[job].sources)
        writer.text(graph.files()[file].name.view());
    return "found " + blake3(std::as_bytes(std::span(writer.bytes()))).hex();
}

std::string note_of(const std::vector<std::string>& paths) {
    RecordWriter writer;
    writer.number(paths.size());
    for (const std::string& path : paths)
        writer.text(path);
    return writer.take();
}

std::vector<std::string> paths_of(std::string_view note) {
    RecordReader reader(note);
    std::vector<std::string> paths(reader.count(8));
    for (std::string& path : paths)
        path = reader.text();
    return paths;
}

bool are_there(const std::vector<FinishedBundle>& bundles) {
    for (const FinishedBundle& bundle : bundles)
        if (!is_there(bundle))
            return false;
    return !bundles.empty();
}

}  // namespace

struct ProjectBuild::State {
    Project project;
    std::string folder;
    BuildOptions options;
    BuildDatabase database;
    std::optional<FinishedBuild> last;
    BuildCounts counts;
    std::vector<SeenPlace> seen;
    Hash planned;                         // digest of what plan() gave
    std::unique_ptr<DerivedCache> cache;  // once there were jobs
    std::vector<std::string> logs;
    std::vector<std::string> different;
    std::set<std::uint32_t> lines;  // of the rules that had jobs
    std::vector<std::string> warnings;

    void tell(std::string_view stage, std::uint64_t done, std::uint64_t total) const {
        if (options.progress)
            options.progress({.stage = stage, .done = done, .total = total});
    }
    Status see_others();
    Status see_programs();
    Result<FileContents> know_sources(const std::vector<SourceEntry>& entries);
    Result<std::vector<ProjectFile>> make_files(std::vector<SourceEntry> entries, FileContents contents);
    std::string scratch_folder() const;
    Result<std::string> make_scratch() const;
    void remove_scratch() const;
    Result<PackPlan> plan_files(std::vector<ProjectFile> files, ScanReport report);
    Status open_cache();
    Result<JobsRun> run(JobGraph& graph, FileContents contents);
    Status remember(const std::unordered_map<std::string, KnownSource>& before, const std::vector<SourceEntry>& entries,
                    const std::vector<KnownSource>& now);
};

ProjectBuild::ProjectBuild(std::unique_ptr<State> state) : state_(std::move(state)) {}
ProjectBuild::ProjectBuild(ProjectBuild&&) noexcept = default;
ProjectBuild::~ProjectBuild() = default;

Result<ProjectBuild> ProjectBuild::open(Project project, std::string folder, BuildOptions options) {
    FARDEL_TRY_ASSIGN(BuildDatabase database, open_database(build_folder_of(folder, options)));
    project.excludes.push_back("**/" + std::string(kBuildFolder) + "/**");
    auto state = std::make_unique<State>(State{.project = std::move(project),
                                               .folder = std::move(folder),
                                               .options = std::move(options),
                                               .database = std::move(database),
                                               .last = {},
                                               .counts = {},
                                               .seen = {},
                                               .planned = {},
                                               .cache = {},
                                               .logs = {},
                                               .different = {},
                                               .lines = {},
                                               .warnings = {}});
    FARDEL_TRY_ASSIGN(state->last, state->database.find_finished(state->options.target));
    return ProjectBuild(std::move(state));
}

std::optional<FinishedBuild> ProjectBuild::find_up_to_date() const {
    const auto& last = state_->last;
    if (!last || state_->options.checksum || state_->options.verify_per_1000 != 0 ||
        last->options != state_->options.options || !are_there(last->bundles) || find_changed(last->seen))
        return std::nullopt;
    return last;
}

const std::optional<FinishedBuild>& ProjectBuild::find_last() const { return state_->last; }

// ---- What it would do -----------------------------------------------------------------------------------------------

Result<BuildGraph> ProjectBuild::graph() const {
    FARDEL_TRY_ASSIGN(ScanResult scan, scan_sources(sources_of(state_->project, state_->folder),
                                                    excludes_of(state_->project), make_archive_reader().get()));
    std::vector<AssetName> names;
    for (SourceEntry& entry : scan.entries)
        names.push_back(std::move(entry.name));
    FARDEL_TRY_ASSIGN(JobGraph graph, JobGraph::plan(state_->project, std::move(names)));
    BuildGraph built{.graph = std::move(graph)};
    for (JobIndex job{}; job < built.graph.jobs().end_index(); ++job) {
        FARDEL_TRY_ASSIGN(const auto note, state_->database.find_note(found_note_of(built.graph, job)));
        built.found.add(note ? paths_of(*note) : std::vector<std::string>());
    }
    return built;
}

// ---- The stages -----------------------------------------------------------------------------------------------------

Result<PackPlan> ProjectBuild::plan() {
    State& state = *state_;
    state.seen.clear();
    FARDEL_TRY(state.database.mend());
    FARDEL_TRY(state.see_others());
    FARDEL_TRY_ASSIGN(ScanResult scan, scan_sources(sources_of(state.project, state.folder), excludes_of(state.project),
                                                    make_archive_reader().get()));
    std::ranges::move(scan.seen, std::back_inserter(state.seen));
    FARDEL_TRY_ASSIGN(FileContents contents, state.know_sources(scan.entries));
    FARDEL_TRY_ASSIGN(std::vector<ProjectFile> files, state.make_files(std::move(scan.entries), std::move(contents)));
    FARDEL_TRY_ASSIGN(PackPlan planned, state.plan_files(std::move(files), std::move(scan.report)));
    // A rule whose files were all made into others has not been idle.
    std::erase_if(planned.idle_rules, [&](const std::string& rule) {
        return std::ranges::any_of(state.lines, [&](std::uint32_t line) {
            return rule.starts_with(printable(state.project.file) + ":" + std::to_string(line) + ": ");
        });
    });
    state.planned = plan_digest(planned.plan);
    return planned;
}

// With what scanners found before. What they find now counts even if a reference cannot be resolved.
Result<PackPlan> ProjectBuild::State::plan_files(std::vector<ProjectFile> files, ScanReport report) {
    if (!project.references)
        return plan_project_files(project, folder, std::move(files), std::move(report));
    FARDEL_TRY_ASSIGN(auto known, database.read_scans());
    ScanMemory memory(std::move(known));
    const bool programs =
        std::ranges::any_of(project.scanners, [](const ProjectScanner& scanner) { return scanner.pattern.empty(); });
    std::string scratch;
    if (programs) {
        FARDEL_TRY_ASSIGN(scratch, make_scratch());
    }
    auto packed =
        plan_project_files(project, folder, std::move(files), std::move(report),
                           {.jobs = options.jobs,
                            .scanners = {},
                            .project_file = {},
                            .environment = {.project_folder = folder, .scratch_folder = scratch, .stop = options.stop},
                            .memory = &memory,
                            .stop = options.stop});
    if (programs)
        remove_scratch();
    FARDEL_TRY(database.write_scans(memory.take_added()));
    if (packed) {
        std::ranges::move(packed->scan_logs, std::back_inserter(logs));
        FARDEL_TRY(database.forget_idle_scans(memory.used()));
        const auto count = [&](bool AssetScan::*flag) {
            return static_cast<std::uint64_t>(std::ranges::count(packed->assets, true, flag));
        };
        counts.with_scanner = count(&AssetScan::has_scanner);
        counts.scanned = count(&AssetScan::was_read);
    }
    FARDEL_TRY(database.keep());
    return packed;
}

// What decides the result without being a source. Before anything of it is read.
Status ProjectBuild::State::see_others() {
    for (const ProjectDependency& dependency : project.dependencies)
        if (!dependency.file.empty())
            seen.push_back(see_path(path_in_project(folder, dependency.file)));
    for (const std::string& path : options.watched)
        seen.push_back(see_path(path));
    return see_programs();
}

Result<FileContents> ProjectBuild::State::know_sources(const std::vector<SourceEntry>& entries) {
    FARDEL_TRY_ASSIGN(const auto before, database.read_sources());
    std::vector<KnownSource> known(entries.size());
    std::vector<const SourceEntry*> unknown;
    std::vector<std::size_t> unknown_at;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const SourceEntry& entry = entries[i];
        const auto found = before.find(entry.origin);
        if (!options.checksum && entry.version && found != before.end() && found->second.version == *entry.version) {
            known[i] = found->second;
            continue;
        }
        unknown.push_back(&entry);
        unknown_at.push_back(i);
    }
    FARDEL_TRY_ASSIGN(std::vector<SourceDigest> digests,
                      digest_sources(unknown, options.jobs, options.stop,
                                     [&](std::uint64_t done) { tell("hashing", done, unknown.size()); }));
    for (std::size_t i = 0; i < digests.size(); ++i) {
        KnownSource& source = known[unknown_at[i]];
        source = {.version = unknown[i]->version.value_or(Hash{}),
                  .asset = digests[i].asset,
                  .size_bytes = digests[i].size_bytes,
                  .content_type = std::move(digests[i].content_type)};
    }
    FARDEL_TRY(remember(before, entries, known));
    counts.sources = entries.size();
    counts.sources_read = unknown.size();

    FileContents contents;
    contents.reserve(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i)
        contents.add({.asset = known[i].asset,
                      .size_bytes = known[i].size_bytes,
                      .blob = entries[i].blob,
                      .content_type = std::move(known[i].content_type)});
    return contents;
}

// What was learnt counts even if the build fails later.
Status ProjectBuild::State::remember(const std::unordered_map<std::string, KnownSource>& before,
                                     const std::vector<SourceEntry>& entries, const std::vector<KnownSource>& now) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto found = before.find(entries[i].origin);
        kept += found != before.end();
        if (!entries[i].version || (found != before.end() && found->second == now[i]))
            continue;
        FARDEL_TRY(database.write_source(entries[i].origin, now[i]));
    }
    if (kept != before.size()) {
        std::unordered_map<std::string_view, bool> there;
        for (const SourceEntry& entry : entries)
            there.emplace(entry.origin, true);
        for (const auto& [origin, source] : before)
            if (!there.contains(origin))
                FARDEL_TRY(database.remove_source(origin));
    }
    return database.keep();
}

// ---- Jobs -----------------------------------------------------------------------------------------------------------

// Programs and their tables, before their bytes are looked at.
Status ProjectBuild::State::see_programs() {
    FARDEL_TRY_ASSIGN(const std::string absolute, absolute_folder(folder));
    const auto see = [&](const Processor& processor) {
        for (const std::string& path : processor.code)
            seen.push_back(see_path(path_in_project(folder, path)));
        if (processor.command.empty())
            return;
        if (const auto program = find_program(processor, absolute))  // if not: its first job tells
            seen.push_back(see_path(program->path));
    };
    for (const Processor& processor : project.processors)
        see(processor);
    for (const ProjectScanner& scanner : project.scanners)
        see(scanner.program);
    return ok();
}

Status ProjectBuild::State::open_cache() {
    FARDEL_TRY_ASSIGN(cache, open_build_cache(project, folder, build_folder_of(folder, options) + "/cache",
                                              {.verify_per_1000 = options.verify_per_1000}, warnings));
    return ok();
}

std::string ProjectBuild::State::scratch_folder() const { return build_folder_of(folder, options) + "/jobs"; }

// What a build that was killed left there is nobody's: we have the database.
Result<std::string> ProjectBuild::State::make_scratch() const {
    std::error_code error;
    std::filesystem::remove_all(scratch_folder(), error);
    std::filesystem::create_directories(scratch_folder(), error);
    if (error)
        return Error(ErrorCode::io, printable(scratch_folder()) + ": " + error.message());
    return scratch_folder();
}

void ProjectBuild::State::remove_scratch() const {
    std::error_code ignored;
    std::filesystem::remove_all(scratch_folder(), ignored);
}

Result<JobsRun> ProjectBuild::State::run(JobGraph& graph, FileContents contents) {
    FARDEL_TRY(open_cache());
    FARDEL_TRY_ASSIGN(const std::string scratch, make_scratch());
    FARDEL_TRY_ASSIGN(
        JobsRun run,
        run_jobs(graph, std::move(contents),
                 {.project_folder = folder,
                  .scratch_folder = scratch,
                  .image_program = options.image_program,
                  .cache = cache.get(),
                  .jobs = options.jobs,
                  .stop = options.stop,
                  .progress = [this](std::uint64_t done, std::uint64_t total) { tell("processing", done, total); }}));
    remove_scratch();
    return run;
}

// What the rules are applied to: what is left of the sources, and what was made of them.
Result<std::vector<ProjectFile>> ProjectBuild::State::make_files(std::vector<SourceEntry> entries,
                                                                 FileContents contents) {
    std::vector<AssetName> names;
    for (SourceEntry& entry : entries)
        names.push_back(std::move(entry.name));
    FARDEL_TRY_ASSIGN(JobGraph graph, JobGraph::plan(project, std::move(names)));
    std::vector<FileReference> reported;
    if (!graph.jobs().empty()) {
        FARDEL_TRY_ASSIGN(JobsRun ran, run(graph, std::move(contents)));
        for (const FoundPaths& found : ran.found)
            FARDEL_TRY(database.write_note(found_note_of(graph, found.job), note_of(found.paths)));
        contents = std::move(ran.contents);
        logs = std::move(ran.logs);
        different = std::move(ran.different);
        reported = std::move(ran.references);
        std::ranges::move(ran.seen, std::back_inserter(seen));
        counts.jobs = ran.run + ran.from_cache;
        counts.jobs_run = ran.run;
    }
    for (const GraphJob& job : graph.jobs())
        lines.insert(job.line);
    IndexedList<std::vector<FoundReference>, FileIndex> references(contents.size());
    for (FileReference& reference : reported)
        references[reference.file].push_back(std::move(reference.reference));
    std::vector<ProjectFile> files;
    files.reserve(contents.size());
    for (FileIndex i{}; i < contents.end_index(); ++i) {
        const GraphFile& file = graph.files()[i];
        if (!file.consumed)
            files.push_back({.name = file.name,
                             .size_bytes = contents[i].size_bytes,
                             .blob = std::move(contents[i].blob),
                             .content_type = std::move(contents[i].content_type),
                             .asset = contents[i].asset,
                             .tags = file.tags,
                             .references = std::move(references[i])});
    }
    std::ranges::sort(files, {}, &ProjectFile::name);
    return files;
}

// ---- Before and after writing ---------------------------------------------------------------------------------------

const BuildCounts& ProjectBuild::counts() const { return state_->counts; }
const std::vector<std::string>& ProjectBuild::logs() const { return state_->logs; }
const std::vector<std::string>& ProjectBuild::different() const { return state_->different; }
const std::vector<SeenPlace>& ProjectBuild::seen() const { return state_->seen; }
const std::vector<std::string>& ProjectBuild::warnings() const { return state_->warnings; }
CacheStatistics ProjectBuild::cache_statistics() const {
    return state_->cache ? state_->cache->statistics() : CacheStatistics{};
}

std::optional<FinishedBuild> ProjectBuild::find_same(const Hash& encoder) const {
    const auto& last = state_->last;
    const bool same = last && last->options == state_->options.options && last->encoder == encoder &&
                      last->plan == state_->planned && are_there(last->bundles);
    return same ? last : std::nullopt;
}

std::shared_ptr<const Bundle> ProjectBuild::find_donor(const std::string& path, const Hash& encoder) const {
    if (!state_->last || state_->last->encoder != encoder)
        return nullptr;
    for (const FinishedBundle& finished : state_->last->bundles) {
        if (finished.path != path)
            continue;
        auto source = open_file_source(path);
        if (!source)
            return nullptr;
        auto bundle = Bundle::open(*std::move(source), {.label = printable(path)});
        return bundle && (*bundle)->layout_id() == finished.layout ? *bundle : nullptr;
    }
    return nullptr;
}

Status ProjectBuild::finish(const Hash& encoder, std::vector<FinishedBundle> bundles, std::string summary) {
    if (state_->cache)
        state_->cache->flush();
    FinishedBuild build{.options = state_->options.options,
                        .plan = state_->planned,
                        .encoder = encoder,
                        .seen = state_->seen,
                        .bundles = std::move(bundles),
                        .summary = std::move(summary)};
    for (FinishedBundle& bundle : build.bundles)
        bundle.stamp = stamp_path(bundle.path);
    FARDEL_TRY(state_->database.write_finished(state_->options.target, build));
    return state_->database.keep();
}

}  // namespace fardel
