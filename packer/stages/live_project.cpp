// A project that is read again after edits, without writing its bundle.
#include "build_request.h"

#include <fardel/base/folder.h>
#include <fardel/format/digest_index.h>
#include <fardel/packer/build.h>
#include <fardel/packer/running_jobs.h>
#include <fardel/packer/watched_inputs.h>
#include <fardel/sources/project_reader.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace fardel {
namespace {

class LiveProject final : public OpenProject {
public:
    LiveProject(std::string file, ProjectOptions options, CacheRequest caches)
        : file_(std::move(file)), options_(std::move(options)), caches_(std::move(caches)) {}

    // An edit while jobs run begins the read again: those that it does not concern go on.
    Result<ProjectBundle> read(const std::stop_token& stop) override {
        for (;;) {
            auto bundle = read_once(stop);
            if (bundle || bundle.error().code() != ErrorCode::cancelled || stop.stop_requested())
                return bundle;
        }
    }

    Result<bool> has_changed() override { return watched_ ? watched_->has_changed() : Result<bool>(false); }

private:
    Result<ProjectBundle> read_once(const std::stop_token& stop) {
        // Before the files are read, so that a change while they are read counts as one.
        if (options_.watch) {
            FARDEL_TRY_ASSIGN(watched_, WatchedInputs::begin(file_, observed_));
        }
        std::optional<StopOnChange> restart;
        if (watched_)
            restart.emplace(*watched_, stop, [this] { return running_->is_at_work(); });
        const BuildRequest request{.project_file = file_,
                                   .target = options_.target,
                                   .caches = caches_,
                                   .running = running_,
                                   .stop = restart ? restart->token() : stop};
        FARDEL_TRY_ASSIGN(const RequestedProject requested, read_requested_project(request));
        FARDEL_TRY_ASSIGN(ProjectBuild build, open_build(requested, request));
        Result<PackPlan> plan = build.plan();
        // Also of a plan that failed: the change that mends it must be noticed.
        observe(build.seen());
        FARDEL_TRY_ASSIGN(PackPlan planned, std::move(plan));
        FARDEL_TRY(verify_scanned(planned.report, requested.project.pack.left_out_fails, request));
        FARDEL_TRY(verify_planned(requested.project, planned));
        // The parts of a split project have its names and assets between them: one bundle shows the same tree.
        return open_plan(planned, stop);
    }

    void observe(const std::vector<ObservedPath>& seen) {
        std::vector<ObservedPath> files;
        // The folders of sources are watched through notices of the system already.
        std::ranges::copy_if(seen, std::back_inserter(files),
                             [](const ObservedPath& path) { return path.stamp.kind != StampKind::folder; });
        for (const ObservedPath& path : files)
            observed_.insert(path.path);
        if (watched_)
            watched_->add(files);
    }

    Result<ProjectBundle> open_plan(PackPlan& planned, const std::stop_token& stop) const {
        const std::string folder = folder_of_path(file_);
        FARDEL_TRY_ASSIGN(const std::string real, real_path(folder, folder));
        const KeptDigests kept(options_.digest_folder, real, *options_.digests);
        auto source = make_unpacked_source(planned.plan, {.digests = options_.digests, .stop = stop});
        if (!source)
            return std::move(source).error().with_context(file_);
        DigestIndex known;
        for (const PlannedAsset& asset : planned.plan.assets)
            if (const auto version = asset.source->find_version())
                known.push_back({*version, nullptr});
        kept.write(std::move(known), *options_.digests);
        return ProjectBundle{.source = *std::move(source), .report = std::move(planned.report)};
    }

    const std::string file_;
    const ProjectOptions options_;
    const CacheRequest caches_;
    std::unique_ptr<WatchedInputs> watched_;
    std::set<std::string> observed_;  // files besides the sources
    const std::shared_ptr<RunningJobs> running_ = std::make_shared<RunningJobs>();
};

class PackerProjectReader final : public ProjectReader {
public:
    explicit PackerProjectReader(CacheRequest caches) : caches_(std::move(caches)) {}
    std::unique_ptr<OpenProject> open(const std::string& file, ProjectOptions options) const override {
        return std::make_unique<LiveProject>(file, std::move(options), caches_);
    }

private:
    const CacheRequest caches_;
};

}  // namespace

std::shared_ptr<const ProjectReader> make_project_reader(CacheRequest caches) {
    return std::make_shared<const PackerProjectReader>(std::move(caches));
}

}  // namespace fardel
