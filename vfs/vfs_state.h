// The state of a Vfs: the set of mounts that readers see, and the data that functions changing it share.
#pragma once

#include "lookup/asset_verdicts.h"
#include "mounts/content_watch.h"
#include "mounts/mount_content.h"
#include "mounts/mount_set.h"
#include "mounts/snapshot.h"
#include "pure_lock.h"
#include "trace_recorder.h"

#include <fardel/base/executor.h>
#include <fardel/base/threads.h>
#include <fardel/vfs/vfs.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace fardel {

struct Vfs::Impl {
    enum class Required : bool { nothing, dependencies };
    static Required required_by(const MountOptions& options) noexcept {
        return options.require_dependencies ? Required::dependencies : Required::nothing;
    }

    // What a mount was made from. Only the thread that holds `refreshing` uses it.
    struct Watch {
        std::unique_ptr<ContentWatch> content;
        Required required;
        bool pending = false;  // something changed that is not in the tree yet
    };
    using Watches = std::map<MountId, std::shared_ptr<Watch>>;

    // A request on its way into the set.
    struct OpenedMount {
        Mount mount;
        bool require_dependencies = false;
        std::shared_ptr<Watch> watch;  // nullptr: it is not watched
    };

    // What readers saw before a change, and what they see after it.
    struct VisibleChange {
        std::shared_ptr<const MountSet> before;
        std::shared_ptr<const MountSet> after;
        std::vector<MissingDependency> missing;  // because of the change
    };

    explicit Impl(const VfsOptions& given);

    const VfsOptions options;
    const std::shared_ptr<Executor> executor;  // nullptr: the thread that reads does everything
    const std::shared_ptr<BlockCache> cache;   // nullptr: none
    const FolderDigests digests;
    Snapshot<MountSet> set{std::make_shared<const MountSet>()};
    mutable AssetVerdicts verdicts;
    const std::unique_ptr<TraceRecorder> recorder;  // nullptr: no trace

    // What a look-up of a path finds, and one of a reference.
    Result<std::optional<File>> find_path(const LookUp& wanted) const;
    Result<std::optional<File>> find_reference(const LookUp& wanted) const;
    // The first good copy, see find_asset_copy.
    Result<std::optional<File>> find_copy(const AssetId& asset) const;
    // Error: missing (the content is required and not all here).
    Status verify_here(const File& file) const;
    // Every file that leaves a Vfs passes here; notes it in the trace. Errors: denied (its signers may not bring such
    // content), and those of verify_here if that has to be read.
    Status verify_allowed(const std::optional<File>& found) const;

    Mutex refreshing;  // held while a refresh scans and hashes; taken before `writing`, and by no other function

    Mutex writing;  // guards what follows and the order of changes; readers never take it, and no file is hashed
    std::shared_ptr<const MountSet> mounted = set.share();  // all mounts; `set` is the visible part
    std::unique_ptr<PureLock> pure;                         // nullptr: not in pure mode
    std::uint32_t last_mount = 0;
    std::uint32_t last_content = 0;
    Watches watches;

    // With `writing` held.
    Result<ContentNumber> next_content();
    // Returns the old visible set; its bundles are closed when it is destroyed, so that is done without the lock.
    std::shared_ptr<const MountSet> show(std::shared_ptr<const MountSet> next);
    // For the event: what `next` lacks and `mounted` does not lack. Empty if nothing receives the event.
    std::vector<MissingDependency> newly_missing(const MountSet& next) const;

    // Gives each of them an id and a number.
    Result<std::vector<Mount>> numbered(const std::vector<OpenedMount>& opened);
    Status verify_required(const MountSet& next, const std::vector<OpenedMount>& opened) const;

    // Ends the watches of the mounts that are gone, and begins those of the new ones.
    void watch(std::span<const MountId> gone, std::span<const MountId> ids, std::span<const OpenedMount> opened);

    // Without `writing` held.
    Result<std::vector<OpenedMount>> open_mounts(std::span<const MountRequest> requests) const;
    void report(const std::vector<MissingDependency>& missing) const;
    Result<std::vector<MountId>> apply(MountChange& change);
    Result<std::vector<AssetChange>> replace(std::vector<MountId>& group, std::span<const MountRequest> requests);
    // For VfsOptions::log; do nothing without it.
    void log_refusal(const Error& error) const;
    void log_failed_change(const Error& error) const;
    void log_mounts(std::span<const MountId> gone, std::span<const MountId> ids,
                    std::span<const OpenedMount> opened) const;
    template <class Outcome>
    Outcome with_log(Outcome outcome) const {
        if (!outcome)
            log_failed_change(outcome.error());
        return outcome;
    }
    // Error: missing.
    Result<MountContent> content_of(MountId mount);
    // Puts other content into a mount. Nothing: its content is not `expected` any more, if that is given.
    Result<std::optional<VisibleChange>> replace_content(MountId mount, MountContent content, Required required,
                                                         std::optional<ContentNumber> expected);
    Watches current_watches();
    // With `refreshing` held: puts what `reopen` makes of a mount's content into the mount.
    using Reopen = std::function<Result<MountContent>(const MountContent& old)>;
    Result<std::vector<AssetChange>> refresh(MountId mount, const Reopen& reopen, Required required);
};

}  // namespace fardel
