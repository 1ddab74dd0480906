// What the handles of the C API hold.
#pragma once

#include <fardel/sources/archive_reader.h>
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
    std::shared_ptr<const fardel::ArchiveReader> find_archives() {
        const std::lock_guard guard(lock);
        return archives;
    }

private:
    std::mutex lock;
    std::shared_ptr<const fardel::ArchiveReader> archives;  // null until fardel_enable_archives()
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
