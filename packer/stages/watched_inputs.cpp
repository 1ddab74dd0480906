#include <fardel/packer/watched_inputs.h>

#include <fardel/base/path_text.h>
#include <fardel/packer/project_build.h>
#include <fardel/packer/project_plan.h>
#include <fardel/sources/source_scan.h>

#include <chrono>
#include <thread>
#include <utility>

namespace fardel {
namespace {

constexpr std::chrono::milliseconds kWatchTick{100};

}  // namespace

Result<std::unique_ptr<WatchedInputs>> WatchedInputs::begin(const std::string& project_file,
                                                            const std::set<std::string>& others) {
    auto watched = std::make_unique<WatchedInputs>();
    watched->paths_.push_back(observe_path(project_file));
    for (const std::string& other : others)
        watched->paths_.push_back(observe_path(other));
    std::vector<std::string> files;
    const Result<Project> project = read_project(project_file, files);
    for (const std::string& file : files)
        if (file != project_file)
            watched->paths_.push_back(observe_path(file));
    if (!project)
        return watched;  // the build reports the error; the files themselves are watched
    for (const std::string& source : sources_of(*project, std::string(folder_part(project_file)))) {
        const auto kind = find_source_kind(source);
        if (!kind || *kind != SourceKind::folder) {
            watched->paths_.push_back(observe_path(source));
            continue;
        }
        FARDEL_TRY(watched->watch(source));
    }
    return watched;
}

Status WatchedInputs::watch(const std::string& folder) {
    FARDEL_TRY_ASSIGN(auto watched, watch_folder(folder, kBuildFolder));
    const std::lock_guard lock(mutex_);
    folders_.push_back(std::move(watched));
    return ok();
}

void WatchedInputs::add(const std::vector<ObservedPath>& seen) {
    const std::lock_guard lock(mutex_);
    paths_.insert(paths_.end(), seen.begin(), seen.end());
}

void WatchedInputs::set_changed() {
    const std::lock_guard lock(mutex_);
    changed_ = true;
}

Result<bool> WatchedInputs::has_changed() {
    const std::lock_guard lock(mutex_);
    for (const auto& folder : folders_) {
        FARDEL_TRY_ASSIGN(const bool changed, folder->take_change());
        changed_ = changed_ || changed;
    }
    // A young stamp counts as unchanged: everything written before it was taken has been read.
    for (const ObservedPath& path : paths_)
        changed_ = changed_ || !looks_unchanged(path.stamp, stamp_path(path.path));
    return changed_;
}

StopOnChange::StopOnChange(WatchedInputs& watched, const std::stop_token& outer, std::function<bool()> counts)
    : on_outer_(outer, [this] { stop_.request_stop(); }) {
    auto watch = [this, &watched, counts = std::move(counts)](const std::stop_token& over) {
        while (!over.stop_requested() && !stop_.stop_requested()) {
            const auto changed = watched.has_changed();
            if (changed && *changed && counts())
                stop_.request_stop();
            else
                std::this_thread::sleep_for(kWatchTick);
        }
    };
    // Without a thread, an edit waits for the end of the build.
    static_cast<void>(thread_.try_start(std::move(watch)));
}

}  // namespace fardel
