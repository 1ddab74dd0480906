#include "job_scratch.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/format/printable.h>

#include <string_view>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kScratchLockEnd = ".lock";

// Removes the folder unless somebody holds it. The lock is kept meanwhile, so nobody begins to use it.
void remove_unheld(const std::string& folder) {
    const std::string path = folder + std::string(kScratchLockEnd);
    const auto file = open_lock_file(path);
    if (!file)
        return;
    const auto locked = lock_file(*file, path);
    // Without locks on this file system, there is only the build database to exclude other builds.
    if (locked && !*locked)
        return;
    static_cast<void>(remove_tree(folder));
    if (locked)
        unlock_file(*file);
}

}  // namespace

Result<std::shared_ptr<const JobScratch>> JobScratch::open(const std::string& build_folder) {
    std::string folder = build_folder + "/jobs";
    // What is there is left from a build that was killed.
    remove_unheld(folder);
    const std::string path = folder + std::string(kScratchLockEnd);
    FARDEL_TRY_ASSIGN(Descriptor file, open_lock_file(path));
    auto hold = wait_for_lock(std::move(file), path, LockSharing::shared);
    if (!hold && hold.error().code() == ErrorCode::busy)
        return std::move(hold).error();
    FARDEL_TRY(create_folders(folder));
    return std::shared_ptr<const JobScratch>(
        new JobScratch(std::move(folder), hold ? *std::move(hold) : std::unique_ptr<DiskHold>()));
}

JobScratch::~JobScratch() {
    hold_.reset();
    remove_unheld(path_);
}

}  // namespace fardel
