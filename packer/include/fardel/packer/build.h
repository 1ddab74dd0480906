// A build: from a project to the plan of its bundle, with everything done again only where something has changed.
//
// What earlier builds learnt lies in ".fardel" beside the project file and may be deleted at any time. One build of a
// project at a time; from one thread. docs/builds.md is the manual.
#pragma once

#include <fardel/format/bundle.h>
#include <fardel/format/ids.h>
#include <fardel/format/result.h>
#include <fardel/packer/job_graph.h>
#include <fardel/packer/pack.h>
#include <fardel/packer/project.h>
#include <fardel/sources/path_stamp.h>
#include <fardel/store/derived_cache.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::string_view kBuildFolder = ".fardel";

struct FinishedBundle {
    std::string path;
    PathStamp stamp;
    BundleId bundle;
    LayoutId layout;
};

// How a build ended, for the next one.
struct FinishedBuild {
    Hash options;                 // what was asked for
    Hash plan;                    // what came out of it
    Hash encoder;                 // how blocks were encoded
    std::vector<SeenPlace> seen;  // what was looked at
    std::vector<FinishedBundle> bundles;
    std::string summary;  // the caller's own words about it
};

struct BuildProgress {
    std::string_view stage;  // "hashing", "processing"
    std::uint64_t done = 0;
    std::uint64_t total = 0;
};

struct BuildOptions {
    std::string target;                                  // which of the project's builds this is: the bundle's path
    std::string build_folder;                            // empty: ".fardel" beside the project file
    Hash options;                                        // of everything besides the project that decides the result
    std::vector<std::string> watched;                    // further files that it depends on: a key
    std::string image_program;                           // as JobEnvironment has it
    bool checksum = false;                               // reads every source, whatever its stamp says
    unsigned jobs = 0;                                   // threads; 0: one a core
    std::uint32_t verify_per_1000 = 0;                   // of jobs that the cache has: run all the same, and compared
    std::function<void(const BuildProgress&)> progress;  // from any thread, one at a time
    std::stop_token stop;
};

// Which files are made from which, without building.
struct BuildGraph {
    JobGraph graph;
    IndexedList<std::vector<std::string>, JobIndex> found;  // paths that each job looked for when it last finished
};

struct BuildCounts {
    std::uint64_t sources = 0;
    std::uint64_t sources_read = 0;  // because nobody knew them, or they changed
    std::uint64_t jobs = 0;
    std::uint64_t jobs_run = 0;      // the rest came from the cache
    std::uint64_t with_scanner = 0;  // assets that were looked at for what they name
    std::uint64_t scanned = 0;       // of those; what the rest names was remembered
};

class ProjectBuild {
public:
    // `folder`: where the project file lies; may be empty. Makes the build folder. Errors: busy (another build of the
    // project is at work), denied, no_space, io.
    static Result<ProjectBuild> open(Project project, std::string folder, BuildOptions options);
    ProjectBuild(ProjectBuild&&) noexcept;
    ~ProjectBuild();

    // Scans, and runs nothing. Errors: those of scan_sources and JobGraph::plan.
    Result<BuildGraph> graph() const;

    // How the last build ended, if another one now would end the same: what it looked at and what it wrote are as they
    // were.
    std::optional<FinishedBuild> find_up_to_date() const;
    // Whether or not anything has changed since.
    const std::optional<FinishedBuild>& find_last() const;

    // Errors: those of plan_project and of the project's jobs (job_run.h).
    Result<PackPlan> plan();
    // After plan(). `logs`: what programs printed, each under its job. `different`: jobs that gave other bytes than
    // before for the same inputs.
    const BuildCounts& counts() const;
    const std::vector<std::string>& logs() const;
    const std::vector<std::string>& different() const;
    const std::vector<std::string>& warnings() const;  // caches that could not be opened
    CacheStatistics cache_statistics() const;          // of the caches that were asked
    const std::vector<SeenPlace>& seen() const;
    // The last build, if it had the very plan that plan() gave, and what it wrote is still there.
    std::optional<FinishedBuild> find_same(const Hash& encoder) const;
    // The bundle at `path`, if it is what the last build wrote there with this encoder.
    std::shared_ptr<const Bundle> find_donor(const std::string& path, const Hash& encoder) const;

    // What plan() found, and how it ended. Bundles are looked at now.
    Status finish(const Hash& encoder, std::vector<FinishedBundle> bundles, std::string summary);

private:
    struct State;
    explicit ProjectBuild(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace fardel
