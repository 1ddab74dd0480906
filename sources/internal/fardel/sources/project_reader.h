// ProjectReader: a project (fardel.toml) as the bundle that a build would write, followed through edits. The seam
// between mounts and the packer.
//
// Mounts know a project by its file's extension, but need a reader to see what is in it. The library fardel::packer has
// one, see build.h; a program that links none needs no packer, and mounts folders as they are.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/unpacked_bundle.h>
#include <fardel/sources/scan_report.h>

#include <memory>
#include <stop_token>
#include <string>

namespace fardel {

struct ProjectBundle {
    std::shared_ptr<const ByteSource> source;  // unsigned, in memory: unpacked_bundle.h
    ScanReport report;
};

// One thread at a time.
class OpenProject {
public:
    virtual ~OpenProject() = default;
    // Runs the jobs that have to run, as a build does, and reads what changed since the last time. Errors: those of
    // build_project, and of make_unpacked_source; those of watch_folder, if it is watched.
    virtual Result<ProjectBundle> read(const std::stop_token& stop) = 0;
    // Whether a file that counts has changed since the last read() began, also if that failed; stays true until the
    // next one. False if it is not watched. Does not wait. Errors: those of FolderWatch.
    virtual Result<bool> has_changed() = 0;
};

struct ProjectOptions {
    std::shared_ptr<DigestCache> digests;  // not nullptr; digests of files that did not change are taken from it
    std::string digest_folder;             // where digests of files are kept on disk; empty: nowhere
    bool watch = false;
    std::string target;  // of the project; empty: the only one, or none
};

class ProjectReader {
public:
    virtual ~ProjectReader() = default;
    // `file`: the project's. Reads nothing yet. Any thread.
    virtual std::unique_ptr<OpenProject> open(const std::string& file, ProjectOptions options) const = 0;
};

}  // namespace fardel
