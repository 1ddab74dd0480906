#include "content_watch.h"

#include <fardel/base/folder_watch.h>
#include <fardel/base/path_stamp.h>
#include <fardel/format/appended_record.h>
#include <fardel/sources/project_reader.h>

#include <optional>
#include <string>
#include <utility>

namespace fardel {
namespace {

class WatchedFolder final : public ContentWatch {
public:
    explicit WatchedFolder(std::unique_ptr<FolderWatch> folder) : folder_(std::move(folder)) {}

    Result<bool> take_change() override {
        // Files may have changed between the scan and the start of the watch.
        const bool is_first = std::exchange(is_first_, false);
        FARDEL_TRY_ASSIGN(const bool changed, folder_->take_change());
        return changed || is_first;
    }
    Result<MountContent> reopen(const MountContent& old, const std::shared_ptr<BlockCache>& cache,
                                const FolderDigests& digests) override {
        return rescan(old, cache, digests);
    }
    Verdict judge(const Error& error, bool changed) override {
        if (error.code() != ErrorCode::conflict)
            return Verdict::again;
        // Without a change since the last call, the files contradict each other until something is written.
        return changed ? Verdict::later : Verdict::once;
    }

private:
    const std::unique_ptr<FolderWatch> folder_;
    bool is_first_ = true;
};

class FollowedProject final : public ContentWatch {
public:
    explicit FollowedProject(std::shared_ptr<OpenProject> project) : project_(std::move(project)) {}

    Result<bool> take_change() override { return project_->has_changed(); }
    Result<MountContent> reopen(const MountContent& old, const std::shared_ptr<BlockCache>& cache,
                                const FolderDigests& digests) override {
        return rescan(old, cache, digests);
    }
    Verdict judge(const Error& error, bool) override {
        const auto changed = project_->has_changed();
        // A build of the project runs beside; or somebody has gone on editing.
        return error.code() == ErrorCode::busy || (changed && *changed) ? Verdict::later : Verdict::once;
    }

private:
    const std::shared_ptr<OpenProject> project_;
};

// A bundle file that another one replaces under its name, as `fardel build` does.
class WatchedBundle final : public ContentWatch {
public:
    WatchedBundle(std::string path, const MountOptions& options, PathStamp stamp)
        : path_(std::move(path)), options_(options), stamp_(stamp) {
        // The caller's policy is only valid while it mounts.
        if (options.policy != nullptr)
            options_.policy = &policy_.emplace(*options.policy);
    }
    WatchedBundle(const WatchedBundle&) = delete;
    WatchedBundle& operator=(const WatchedBundle&) = delete;

    Result<bool> take_change() override {
        const PathStamp now = stamp_path(path_);
        // Somebody who removes the file first is about to write the next one.
        if (now.kind == StampKind::missing)
            return false;
        const bool changed = !looks_unchanged(std::exchange(stamp_, now), now);
        return changed;
    }
    Result<MountContent> reopen(const MountContent&, const std::shared_ptr<BlockCache>& cache,
                                const FolderDigests& digests) override {
        FARDEL_TRY_ASSIGN(auto source, open_bundle_source(path_));
        return open_mount_content(source, options_, cache, digests);
    }
    // A young file may still be written, and its stamp would not show it.
    Verdict judge(const Error&, bool) override { return stamp_.young ? Verdict::later : Verdict::once; }

private:
    const std::string path_;
    std::optional<TrustPolicy> policy_;
    MountOptions options_;
    PathStamp stamp_;  // of the file that was opened last
};

}  // namespace

Result<std::unique_ptr<ContentWatch>> watch_content(const MountContent& content, const MountRequest& request) {
    if (content.project)
        return std::unique_ptr<ContentWatch>(std::make_unique<FollowedProject>(content.project));
    if (content.kind == MountKind::folder) {
        FARDEL_TRY_ASSIGN(auto folder, watch_folder(content.path));
        return std::unique_ptr<ContentWatch>(std::make_unique<WatchedFolder>(std::move(folder)));
    }
    const auto* const path = std::get_if<std::string>(&request.subject);
    if (content.kind != MountKind::bundle || path == nullptr)
        return std::unique_ptr<ContentWatch>();
    MountOptions options = request.options;
    options.label = content.bundle->label();
    return std::unique_ptr<ContentWatch>(std::make_unique<WatchedBundle>(*path, options, content.opened));
}

}  // namespace fardel
