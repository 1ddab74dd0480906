// What the stages of one ProjectBuild share.
#pragma once

#include "build_database.h"
#include "job_queue.h"

#include <fardel/packer/job_graph.h>
#include <fardel/packer/project_build.h>
#include <fardel/packer/project_files.h>
#include <fardel/packer/project_plan.h>
#include <fardel/sources/source_scan.h>
#include <fardel/store/derived_cache.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct ProjectBuild::State {
    Project project;
    std::string folder;  // of the project file; may be empty
    BuildOptions options;
    BuildDatabase database;
    std::optional<FinishedBuild> last;

    BuildCounts counts;
    std::vector<ObservedPath> seen;
    Hash planned;                         // digest of the plan
    std::unique_ptr<DerivedCache> cache;  // once there are jobs
    std::vector<std::string> logs;
    std::vector<std::string> different;
    std::set<std::uint32_t> job_lines;  // of the rules that gave jobs
    std::vector<std::string> warnings;

    // ---- The stages of plan(), in their order; build.cpp.

    // Files besides the sources that decide the result: dependencies, programs, keys. Before any of them is read.
    Status observe_inputs();
    // Which bytes each source has: remembered for sources whose stamp is the same, else read and hashed.
    Result<FileContents> read_dirty_sources(const std::vector<SourceEntry>& entries);
    // The outputs of all jobs, out of the cache or run in batches as their inputs are there.
    Result<JobsRun> run_processors(JobGraph& graph, FileContents contents);
    // The files that the rules apply to: sources that are kept, and outputs.
    std::vector<ProjectFile> project_files(const JobGraph& graph, JobsRun run) const;
    // References are scanned (or remembered) and resolved, and the bundles planned.
    Result<PackPlan> plan_bundles(std::vector<ProjectFile> files, ScanReport report);

    // ---- What they use.

    void report_progress(std::string_view stage, std::uint64_t done, std::uint64_t total) const;
    std::string build_folder() const;
    std::string scratch_folder() const { return build_folder() + "/jobs"; }
    Result<std::string> create_scratch_folder() const;
    void remove_scratch_folder() const;
    std::vector<KnownSource> known_sources(const std::vector<SourceEntry>& entries,
                                           const std::unordered_map<std::string, KnownSource>& before,
                                           std::vector<std::size_t>& unknown) const;
    Status remember_sources(const std::unordered_map<std::string, KnownSource>& before,
                            const std::vector<SourceEntry>& entries, const std::vector<KnownSource>& now);
};

// The name under which the database keeps what a job looked for, and the paths as it keeps them.
std::string found_note_name(const JobGraph& graph, JobIndex job);
std::string encode_paths(const std::vector<std::string>& paths);
std::vector<std::string> decode_paths(std::string_view note);

}  // namespace fardel
