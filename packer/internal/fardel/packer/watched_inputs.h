// What a project's bundle depends on: folders, which the system reports changes of, and single files, which are
// compared by stamp. Any thread.
#pragma once

#include <fardel/base/folder_watch.h>
#include <fardel/base/parallel.h>
#include <fardel/base/result.h>
#include <fardel/sources/observed_path.h>

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

class WatchedInputs {
public:
    // `project_file` may appear later. `others`: files that an earlier build observed. They are watched as well, since
    // a build that fails may not get far enough to observe them. Errors: those of watch_folder.
    static Result<std::unique_ptr<WatchedInputs>> begin(const std::string& project_file,
                                                        const std::set<std::string>& others);

    // Watches all files below a folder, too. Errors: those of watch_folder.
    Status watch(const std::string& folder);
    // Adds other files that the build observed.
    void add(const std::vector<ObservedPath>& seen);
    void set_changed();
    // Stays true once it was.
    Result<bool> has_changed();

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<FolderWatch>> folders_;
    std::vector<ObservedPath> paths_;
    bool changed_ = false;
};

// Asks a build to stop as soon as one of its inputs changes, so that the next one begins with what is there then.
class StopOnChange {
public:
    // `watched` outlives it. `outer` stops the build, too. `counts`: asked after a change, until it returns true.
    StopOnChange(WatchedInputs& watched, const std::stop_token& outer, std::function<bool()> counts);

    std::stop_token token() const { return stop_.get_token(); }

private:
    std::stop_source stop_;
    const std::stop_callback<std::function<void()>> on_outer_;
    WorkerThreads thread_;  // last, so that it ends before other members are destroyed
};

}  // namespace fardel
