// ServedProject: the files of a project as a bundle that follows them, without a copy: `fardel serve --project`.
//
// The folder has a fardel.toml, whose sources, rules and jobs count; or it has none, and all its files are published
// under their paths. Bundle files that a fardel.toml names as static dependencies are served beside the roots that need
// them. Each state is a bundle in memory whose blocks are ranges of the files themselves. A file that
// changes is noticed by its stamp when it is read, so a root gives its own bytes or an error. One thread refreshes; any
// thread may call what LiveBundle has.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/unpacked_bundle.h>
#include <fardel/hosting/live_bundle.h>
#include <fardel/packer/watched_inputs.h>
#include <fardel/sources/project_reader.h>

#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

class ServedProject final : public LiveBundle {
public:
    // `target`: of the project; empty: the only one, or none. `digest_folder`: as VfsOptions::digest_folder.
    ServedProject(std::string folder, std::string target, std::string digest_folder);

    // Scans the files, hashes those that changed, and makes the result the latest root. Returns whether it is a new
    // one. On an error the latest root stays. Errors: those of OpenProject, open_loose_bundle and watch_folder;
    // unsupported (a project that is split); conflict (something is writing there).
    Result<bool> refresh(const std::stop_token& stop);
    // Whether something changed since the last refresh began, which was not the first.
    Result<bool> has_changed() { return project_ ? project_->has_changed() : watched_->has_changed(); }

    std::optional<BundleId> head() const override;
    std::shared_ptr<const ByteSource> find(const BundleId& root) const override;

private:
    struct ServedBundle {
        BundleId id;
        std::shared_ptr<const ByteSource> source;
    };
    struct Root : ServedBundle {
        std::vector<ServedBundle> dependencies;  // static ones, whose bundle files fardel.toml names
    };
    Result<Root> open_root(const std::stop_token& stop);
    Result<Root> open_project(const std::string& file, const std::stop_token& stop);
    Result<std::vector<ServedBundle>> open_dependencies(const std::vector<std::string>& files) const;

    const std::string folder_;
    const std::string target_;
    const std::string digest_folder_;
    const std::shared_ptr<DigestCache> digests_ = std::make_shared<DigestCache>();
    std::unique_ptr<OpenProject> project_;    // nullptr: the folder has no fardel.toml
    std::unique_ptr<WatchedInputs> watched_;  // set then
    mutable std::mutex mutex_;                // guards what follows
    std::deque<Root> roots_;                  // the latest first
};

}  // namespace fardel
