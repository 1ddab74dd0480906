// What the handles of the C API hold.
#pragma once

#include <fardel/base/threads.h>
#include <fardel/sources/archive_reader.h>
#include <fardel/sources/project_reader.h>
#include <fardel/vfs/fardel.h>
#include <fardel/vfs/vfs.h>

#include <memory>
#include <mutex>
#include <utility>

struct fardel_vfs {
    explicit fardel_vfs(const fardel::VfsOptions& options) : vfs(options) {}
    fardel::Vfs vfs;

    void set_archives(std::shared_ptr<const fardel::ArchiveReader> reader) {
        const std::lock_guard guard(lock);
        archives = std::move(reader);
    }
    void set_projects(std::shared_ptr<const fardel::ProjectReader> reader) {
        const std::lock_guard guard(lock);
        projects = std::move(reader);
    }
    void lend_readers(fardel::MountOptions& how) {
        const std::lock_guard guard(lock);
        how.archives = archives;
        how.projects = projects;
    }

private:
    fardel::Mutex lock;
    // What reads paths that are no bundles; null until another library gives it (private_seam.h).
    std::shared_ptr<const fardel::ArchiveReader> archives;
    std::shared_ptr<const fardel::ProjectReader> projects;
};
struct fardel_file {
    fardel::File file;
};
struct fardel_listing {
    fardel::Listing listing;
};

namespace fardel::c {

void report_recall(const RecalledMount& one, fardel_recalled recalled, void* context);

}  // namespace fardel::c
