// Vfs: mounted bundles, folders and archives seen as one tree of /assets/<id>, /bundles/<id>/<name> and published
// names.
//
// The game owns it; a process may have several. Every call may come from any thread at any time. Readers take no lock:
// they see one immutable set of mounts, and mount() and unmount() put a new one in its place, or change nothing. What
// is open stays open. The content of bundles is untrusted until their hashes and the mount's trust policy say
// otherwise; bytes that leave are verified. How paths resolve: docs/vfs.md.
#pragma once

#include <fardel/format/byte_source.h>
#include <fardel/format/result.h>
#include <fardel/vfs/conflict.h>
#include <fardel/vfs/explanation.h>
#include <fardel/vfs/file.h>
#include <fardel/vfs/link_report.h>
#include <fardel/vfs/listing.h>
#include <fardel/vfs/mount.h>
#include <fardel/vfs/pure_check.h>
#include <fardel/vfs/pure_messages.h>
#include <fardel/vfs/pure_policy.h>
#include <fardel/vfs/pure_report.h>
#include <fardel/vfs/variants.h>
#include <fardel/vfs/vfs_path.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct VfsOptions {
    std::size_t cache_bytes = 32u << 20;  // decoded blocks of all its bundles; 0: none are kept
};

// What stands at a path. Of a link: its asset's size, id, bundle and type.
struct Stat {
    NodeKind kind = NodeKind::folder;
    std::uint64_t size_bytes = 0;
    std::optional<AssetId> asset;    // nothing for a folder
    std::optional<BundleId> bundle;  // that serves it; for folders only in "/bundles/<id>"
    std::string content_type;
};

class Vfs {
public:
    explicit Vfs(const VfsOptions& options = {});
    // No call may be running. Files and listings live on.
    ~Vfs();
    Vfs(const Vfs&) = delete;
    Vfs& operator=(const Vfs&) = delete;

    // Adds what is at a path: a bundle, a folder or a legacy archive; or a bundle whose bytes the source gives; or the
    // assets and names of a plan, which stay where their blobs have them. Errors: those of open_file_source,
    // Bundle::open (untrusted also when there is no policy and no allow_unsigned), scan_sources and
    // make_unpacked_source; malformed or limit (place); denied (place in /assets or /bundles); conflict (this bundle is
    // mounted at this place already).
    Result<MountId> mount(const std::string& path, MountOptions options);
    Result<MountId> mount(std::shared_ptr<const ByteSource> source, MountOptions options);
    Result<MountId> mount(const BundlePlan& plan, MountOptions options);
    // When it returns, no new open can find the mount. Error: missing.
    Status unmount(MountId mount);
    // The whole change in one step, or nothing and the first error: those of mount() and unmount(). The ids of what it
    // mounts, in order.
    Result<std::vector<MountId>> apply(MountChange change);

    // Puts other content into a mount, which keeps its place, priority and case rule, and tells what that changes for
    // the paths it publishes. On an error nothing changes. Errors: those of mount(), missing.
    Result<std::vector<AssetChange>> replace(MountId mount, MountRequest request);
    // The same with a folder or archive as it is now; only files that changed are read. Errors: as replace; unsupported
    // (a bundle or plan); conflict (somebody is writing there).
    Result<std::vector<AssetChange>> refresh(MountId mount);
    // Refreshes the folders that are mounted with `watch` and where something changed. For a game to call once a frame:
    // it does not wait, and what is being written comes with a later call. Errors: as refresh; the next call tries
    // again.
    Result<std::vector<AssetChange>> poll();

    // Which variants are taken from now on; empty, as at first: the first of each name. What is open stays what it is.
    void prefer(VariantPreference preference);

    // Pure mode: from now on only what the policy allows is visible: its bundles, at their places and in its order;
    // exceptions, and loose files where they are tolerated, at the paths it lists; the variants it allows. The rest
    // stays mounted and hidden; what is mounted later is judged too. Files that are open stay open. What comes back is
    // everything that is wrong, empty when the content set is whole and nothing had to be hidden. docs/pure-mode.md.
    PureReport enter_pure(PurePolicy policy);
    void leave_pure();
    // What enter_pure would say now; nothing: not in pure mode.
    std::optional<PureReport> pure_report() const;
    // Answers a server's offer for what is visible now, with all that is wrong; `chosen`: the tags that the game uses,
    // by axis. Reads the pieces that the offer asks for. Errors: denied (not in pure mode), corrupt (the offer is about
    // another policy).
    Result<PureReply> answer_pure(const PureOffer& offer, std::span<const PureAxis> chosen,
                                  std::string_view connection) const;

    // Highest precedence first, those that a pure policy hides behind the others.
    std::vector<MountDescription> mounts() const;
    // Whether a bundle is mounted that no policy vouches for.
    bool tainted() const noexcept;

    // The asset behind a path; links are followed. find gives nothing where there is no asset, open gives missing.
    // "/assets/<id>": content is compared whole with the id at the first open from each bundle; a copy that fails is
    // passed over for another bundle's. A name is decided by its mount alone: if that is damaged, there is an error and
    // never another bundle's asset. Errors: corrupt, malformed, limit, io.
    Result<std::optional<File>> find(const VfsPath& path) const { return find(path.text(), path.parts()); }
    Result<std::optional<File>> find(std::string_view path) const;
    Result<File> open(const VfsPath& path) const { return open(path.text(), path.parts()); }
    Result<File> open(std::string_view path) const;

    // What an asset means by a name that is written in it: what its link table says; else a name of its own bundle,
    // published or not; else one of a static dependency of that bundle, in declared order; else of the published tree.
    // An absolute path is looked up as find() does. Errors: as find; unresolved (the link table leads into a bundle
    // that is not mounted); open_from: missing.
    Result<std::optional<File>> find_from(const File& from, std::string_view reference) const;
    Result<File> open_from(const File& from, std::string_view reference) const;

    // Sizes and ids are those the bundle claims; nothing of the content is read. Nothing: no such path.
    Result<std::optional<Stat>> find_stat(std::string_view path) const;
    // Errors: missing, corrupt, malformed, limit, io.
    Result<Stat> stat(std::string_view path) const;
    // "/assets/<id>" for a published name. Errors: as stat; missing also for what is no link.
    Result<VfsPath> read_link(std::string_view path) const;

    // Errors: as stat; missing also for what is no folder.
    Result<Listing> open_listing(std::string_view path) const;
    // All entries; more than entries_max: limit.
    Result<std::vector<Entry>> list(std::string_view path, std::size_t entries_max = 1u << 20) const;

    // What find() weighs and how it decides. Damage is told in the candidates. Errors: malformed, limit (path).
    Result<Explanation> explain(std::string_view path) const;
    // Every path that more than one mount publishes or hides, by path: reads all names of all mounts, so it is for
    // tools and start-up checks. Errors: limit (more than conflicts_max), corrupt, malformed, io.
    Result<std::vector<Conflict>> conflicts(std::size_t conflicts_max = 1u << 20) const;
    // Every name and glob that a mounted bundle consumes and nobody publishes, and every bundle that one depends on and
    // that is not mounted. Errors: as conflicts.
    Result<LinkReport> check_links(std::size_t missing_max = 1u << 20) const;

private:
    struct Impl;
    Result<MountId> mount_one(MountRequest request);
    Result<std::optional<File>> find(std::string_view text, const PathParts& path) const;
    Result<File> open(std::string_view text, const PathParts& path) const;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fardel
