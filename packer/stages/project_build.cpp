// ProjectBuild: opens it, reports what it would do, and compares it with the last build.
#include "build_state.h"

#include <fardel/base/folder.h>
#include <fardel/base/path_text.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/name.h>
#include <fardel/packer/project_path.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

Result<BuildDatabase> open_database(const std::string& build_folder) {
    if (Status created = create_folders(build_folder); !created)
        return std::move(created).error().with_context(printable(build_folder) + ": cannot be created");
    return BuildDatabase::open(build_folder + "/build.sqlite");
}

// Ignores the age of the stamp: a bundle that was just written looks young for a while, but only builds of this project
// write it.
bool is_unchanged(const FinishedBundle& bundle) { return looks_unchanged(bundle.stamp, stamp_path(bundle.path)); }

// Whether the path, of a file or folder that was observed, was too new then for its stamp to prove anything.
bool is_young(const std::vector<ObservedPath>& seen, std::string_view path) {
    for (const ObservedPath& one : seen) {
        if (one.path == path)
            return one.stamp.young;
        for (const ObservedFile& file : one.files)
            if (file.stamp.young && one.path + '/' + file.name == path)
                return true;
    }
    return false;
}

bool has_changed(const FinishedBundle& bundle) { return !is_unchanged(bundle); }

bool are_unchanged(const std::vector<FinishedBundle>& bundles) {
    return !bundles.empty() && std::ranges::none_of(bundles, has_changed);
}

}  // namespace

void ProjectBuild::State::report_progress(std::string_view stage, std::uint64_t done, std::uint64_t total) const {
    if (options.progress)
        options.progress({.stage = stage, .done = done, .total = total});
}

ProjectBuild::ProjectBuild(std::unique_ptr<State> state) : state_(std::move(state)) {}
ProjectBuild::ProjectBuild(ProjectBuild&&) noexcept = default;
ProjectBuild::~ProjectBuild() = default;

Result<ProjectBuild> ProjectBuild::open(Project project, std::string folder, BuildOptions options) {
    if (options.build_folder.empty())
        options.build_folder = path_in_project(folder, std::string(kBuildFolder));
    // First, so that a mistake in a setting is reported even if there is nothing to build.
    FARDEL_TRY_ASSIGN(const CacheSettings settings, read_cache_settings(options.caches));
    FARDEL_TRY_ASSIGN(MergedCaches caches, find_project_caches(project.caches, folder, settings));
    FARDEL_TRY_ASSIGN(BuildDatabase database, open_database(options.build_folder));
    project.excludes.push_back("**/" + std::string(kBuildFolder) + "/**");
    auto state = std::make_unique<State>(State{.project = std::move(project),
                                               .folder = std::move(folder),
                                               .options = std::move(options),
                                               .caches = std::move(caches),
                                               .database = std::move(database)});
    FARDEL_TRY_ASSIGN(state->last, state->database.find_finished(state->options.target));
    return ProjectBuild(std::move(state));
}

Status ProjectBuild::State::plan_graph() {
    FARDEL_TRY_ASSIGN(ScanResult scan, scan_project(project, folder));
    FileContents contents;
    if (follows_references()) {
        FARDEL_TRY_ASSIGN(contents, read_dirty_sources(scan.entries));
    }
    FARDEL_TRY_ASSIGN(graph, plan_jobs(scan.entries, contents));
    keep_origins(std::move(scan.entries));
    return ok();
}

void ProjectBuild::State::keep_origins(std::vector<SourceEntry> entries) {
    origins.clear();
    for (const SourceEntry& entry : entries)
        origins.push_back(entry.origin.text());
}

Result<BuildGraph> ProjectBuild::graph() {
    if (!state_->graph)
        FARDEL_TRY(state_->plan_graph());
    BuildGraph built{.graph = *state_->graph};
    for (const std::string& origin : state_->origins)
        built.paths.push_back(relative_path(origin, state_->folder));
    for (JobIndex job{}; job < built.graph.jobs().end_index(); ++job) {
        FARDEL_TRY_ASSIGN(const auto note, state_->database.find_note(found_note_name(built.graph, job)));
        built.found.add(note ? decode_paths(*note) : std::vector<std::string>());
    }
    return built;
}

// ---- The last build -------------------------------------------------------------------------------------------------

std::optional<FinishedBuild> ProjectBuild::find_up_to_date(std::string& why) const {
    const auto& last = state_->last;
    const BuildOptions& options = state_->options;
    if (!last)
        why = "no earlier build is known";
    else if (options.checksum || options.verify_per_1000 != 0 || options.all_jobs)
        why = "the options want everything to be looked at";
    else if (last->options != options.options)
        why = "options or the project file differ from those of the last build, or it was one of another version";
    else if (const auto bundle = std::ranges::find_if(last->bundles, has_changed); bundle != last->bundles.end())
        why = printable(bundle->path) + " is not as the last build wrote it";
    else if (const auto changed = find_changed(last->seen))
        why = printable(*changed) +
              (is_young(last->seen, *changed) ? " was being written when the last build looked at it" : " has changed");
    else if (!last->bundles.empty())
        return last;
    return std::nullopt;
}

std::optional<FinishedBuild> ProjectBuild::find_same(const Hash& encoder) const {
    const auto& last = state_->last;
    const bool same = last && last->options == state_->options.options && last->encoder == encoder &&
                      last->plan == state_->planned && are_unchanged(last->bundles);
    return same ? last : std::nullopt;
}

BundleDonor ProjectBuild::find_donor(const std::string& path, const Hash& encoder) const {
    if (!state_->last || state_->last->encoder != encoder)
        return {};
    const auto is_there = [&](const auto& bundle) { return bundle.path == path; };
    const auto finished = std::ranges::find_if(state_->last->bundles, is_there);
    const auto built = std::ranges::find_if(state_->last->summary.bundles, is_there);
    if (finished == state_->last->bundles.end() || built == state_->last->summary.bundles.end())
        return {};
    auto source = open_file_source(path);
    if (!source)
        return {};
    auto bundle = Bundle::open(*std::move(source), {.label = printable(path)});
    if (!bundle || (*bundle)->layout_id() != finished->layout || built->written.layout != finished->layout)
        return {};
    return {.bundle = *std::move(bundle), .block_purposes = built->written.block_purposes};
}

Status ProjectBuild::finish(const Hash& encoder, std::vector<FinishedBundle> bundles, BuildSummary summary) {
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
    return state_->database.commit();
}

// ---- Results of plan() ----------------------------------------------------------------------------------------------

const std::vector<ObservedPath>& ProjectBuild::seen() const { return state_->seen; }
const std::vector<LoggedJob>& ProjectBuild::logged() const { return state_->logged; }

const std::vector<ProvenanceSource>& ProjectBuild::sources() const { return state_->sources; }

BuildOutcome ProjectBuild::outcome() const {
    return {.counts = state_->counts,
            .logs = state_->logs,
            .warnings = state_->warnings,
            .farm_problem = state_->farm_problem,
            .unconfined = state_->unconfined,
            .different = state_->different,
            .explained = state_->explained,
            .cache = state_->cache ? state_->cache->statistics() : CacheStatistics{}};
}

}  // namespace fardel
