// JobScratch: the folder in which the jobs of a project run, for as long as somebody needs it.
//
// Several may hold it at the same time, also in several programs: a build, and jobs that outlive the build which began
// them. Whoever finds nobody else in it removes what is left there. Any thread.
#pragma once

#include <fardel/base/file_lock.h>
#include <fardel/base/result.h>

#include <memory>
#include <string>

namespace fardel {

class JobScratch {
public:
    // Creates the folder "jobs" in `build_folder`, which exists. Errors: denied, no_space, io, busy.
    static Result<std::shared_ptr<const JobScratch>> open(const std::string& build_folder);
    ~JobScratch();
    JobScratch(const JobScratch&) = delete;
    JobScratch& operator=(const JobScratch&) = delete;

    const std::string& path() const noexcept { return path_; }

private:
    JobScratch(std::string path, std::unique_ptr<DiskHold> hold) : path_(std::move(path)), hold_(std::move(hold)) {}

    std::string path_;
    std::unique_ptr<DiskHold> hold_;
};

}  // namespace fardel
