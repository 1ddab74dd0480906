// Vfs: mounted bundles, folders and archives seen as one tree of /assets/<id>, /bundles/<id>/<name> and published
// names.
//
// The game owns it; a process may have several, which share nothing. Any thread may call any function at any time.
// Readers take no lock: they see one immutable set of mounts, which a change replaces as a whole or not at all. Open
// files and listings stay valid whatever is unmounted. Bundles are untrusted until their hashes and the mount's trust
// policy vouch for them; every byte that is returned has been verified. docs/vfs.md defines how paths resolve; the '/'
// at the front of a path may be left out.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/vfs/file.h>
#include <fardel/vfs/listing.h>
#include <fardel/vfs/mount.h>
#include <fardel/vfs/vfs_path.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// <fardel/vfs/pure_check.h>
class PurePolicy;
class PureReport;
struct PureAxis;
struct PureOffer;
struct PureProblem;
struct PureReply;

// <fardel/vfs/inspect.h>
struct Explanation;
struct Metadata;
struct MountDescription;
struct PathConflict;
struct UnresolvedNeeds;

enum class LogLevel : std::uint8_t {
    error,    // damage
    warning,  // something was refused or withdrawn
    note,     // a change that was asked for
};

struct VfsOptions {
    std::size_t cache_bytes = 32u << 20;  // of decoded blocks, over all bundles; 0: no cache
    // Receives each dependency that is missing after a change of the mounts and was not missing before: that of
    // a new mount or of new content, and one that the change unmounted. Pure mode hides mounts, but unmounts none. It
    // is called by the thread that makes the change, when the change has taken effect; it may call any function that
    // changes no mounts, and must not throw.
    std::function<void(const MissingDependency& missing)> on_missing_dependency;
    // Receives each mounted bundle that judge_again() finds withdrawn and that was not before: on the thread that calls
    // it, when opens are refused already. It may call any function, and must not throw.
    std::function<void(const RecalledMount& recalled)> on_recall;
    // Notes which assets are opened, for trace(): in 7 MB of memory, the first 65,536 of them.
    bool records_trace = false;
    // open() of an asset whose content is not all here returns `missing` instead of a file whose reads would fail, or
    // would wait for a server. find() is not concerned. Costs a look at the asset's blocks per open.
    bool open_needs_content = false;
    // A folder of the disk for digests of the files in mounted folders: the next mount reads only files that changed
    // since. It is created; its files may be deleted at any time. Empty: each mount reads all files.
    std::string digest_folder;
    // Gives the memory of the block cache and of buffers for stored bytes; nullptr: new and delete. Its functions are
    // called by any thread. Kept until the Vfs and all its files are gone.
    std::shared_ptr<std::pmr::memory_resource> memory;
    // So many threads share reads of several blocks, and those of read_files(), with the thread that reads. The Vfs
    // starts them: at most 64, or as many as the system gives. 0: the thread that reads does everything.
    unsigned read_threads = 0;
    // Instead of threads that the Vfs starts: has a thread of the game call `task` once, now or later. Up to
    // read_threads tasks (at least 1) run at once. A task does not throw and waits for no other one, and one that
    // begins late returns at once. Any thread that reads calls this; it must not throw. Kept until the Vfs and all its
    // files are gone.
    std::function<void(std::function<void()> task)> run_task;
    // Receives one sentence about each change of the mounts, each refusal and each damage that open() and find() meet,
    // from the thread that calls. It may call any function that changes no mounts, and must not throw. Without one,
    // nothing is written anywhere.
    std::function<void(LogLevel level, const std::string& text)> log;
};

// What a Vfs has read since it was created. All zero without a cache.
struct VfsFigures {
    std::uint64_t cached_bytes = 0;  // in the cache now
    std::uint64_t hits = 0;          // blocks that the cache had
    std::uint64_t misses = 0;
    std::uint64_t decoded_bytes = 0;  // of blocks that were read from their bundles
    std::uint64_t stalls = 0;         // of these blocks, those for which a reader waited longer than 4 ms
};

// What exists at a path. Of a link: its asset's size, id, bundle and type.
struct PathStat {
    NodeKind kind = NodeKind::folder;
    std::uint64_t size_bytes = 0;
    std::optional<AssetId> asset;    // nothing for a folder
    std::optional<BundleId> bundle;  // that serves it; for folders only in "/bundles/<id>"
    std::string content_type;
    bool has_metadata = false;  // the bundle states something about the asset: metadata() reads it
};

class Vfs {
public:
    explicit Vfs(const VfsOptions& options = {});
    // No call may be running. Files and listings stay valid.
    ~Vfs();
    Vfs(const Vfs&) = delete;
    Vfs& operator=(const Vfs&) = delete;

    // ---- Mounts -----------------------------------------------------------------------------------------------------
    //
    // Functions that change the mounts wait for each other while a new set of mounts is built, but never while files
    // are scanned or hashed: that happens before, on the calling thread.

    // Mounts the bundle, folder, legacy archive or project at a path, or the bundle behind the program there; the
    // bundle whose bytes the source gives; or the assets and names of a plan, whose bytes stay in their blobs. Errors:
    // those of open_file_source, Bundle::open (untrusted also if there is no policy and no allow_unsigned; expired also
    // if the bundle's metadata say so and the policy has no `expired-content allow`), scan_sources and
    // make_unpacked_source; malformed or limit (the mount point); denied (a mount point that is /assets, /bundles or
    // below an id there); conflict (this bundle is already mounted at this mount point); unresolved (a missing
    // dependency, with require_dependencies).
    Result<MountId> mount(MountSubject subject, MountOptions options);
    // Of the plan, which is not kept, the blobs have to stay.
    Result<MountId> mount(const BundlePlan& plan, MountOptions options);
    // After it has returned, no open finds the mount. Error: missing.
    Status unmount(MountId mount);
    // Makes the whole change in one step, or none of it and returns the first error: those of mount() and unmount().
    // Returns the ids of the new mounts, in order.
    Result<std::vector<MountId>> apply(MountChange change);
    // Judges all mounted bundles again, by a policy with the revocations of today. What it says is `revoked` stays
    // mounted, but open() and find() of its content are `revoked`, too, whatever other mounts have; files that are open
    // stay readable. What is revoked no more can be opened again. Other refusals mean nothing here: each mount was
    // judged by a policy of its own. Returns what is withdrawn now. Errors: those of TrustPolicy::evaluate; nothing has
    // changed then.
    Result<std::vector<RecalledMount>> judge_again(const TrustPolicy& policy, const TrustTime& time = {});
    // Chooses the variants that are taken from now on; empty, as at first: the first variant of each name. Open files
    // do not change.
    void prefer(VariantPreference preference);
    // The same for the names of one mount, and the variants that others add to them: it counts before that of the Vfs,
    // which decides among those that are equal by it. The mount keeps it when its content is replaced. Error: missing.
    Status prefer(MountId mount, VariantPreference preference);
    // What the variants of all visible mounts differ by: the axes with all of their values, and the metrics of their
    // assets with the greatest value of each as `most`. For menus, and to find a misspelled axis. Reads all variants.
    // Errors: malformed, corrupt, io.
    Result<VariantPreference> variant_axes() const;
    // Whether a bundle is mounted that no policy vouches for.
    bool tainted() const noexcept;

    // ---- Content that changes while it is mounted -------------------------------------------------------------------
    //
    // Each function returns the published paths whose asset changed.

    // Puts other content into a mount, which keeps its mount point, priority and case rule. On an error nothing
    // changes. Errors: those of mount(); missing.
    Result<std::vector<AssetChange>> replace(MountId mount, MountRequest request);
    // Puts a bundle and those that it needs in the position of an earlier such group, in one step. The last mount of
    // `group` keeps its id, position, mount point, priority and case rule, and gets the content of the last request.
    // The others of `group` are unmounted; the other requests are mounted directly below it, in this order, with its
    // priority. `group` is then the mounts of the requests, in their order; on an error it stays. An empty group is
    // mounted as by apply(), and nothing is returned. Errors: those of mount(); missing; malformed (no request).
    Result<std::vector<AssetChange>> replace(std::vector<MountId>& group, const std::vector<MountRequest>& requests);
    // Reads a folder, archive or project again and hashes the files that changed, on the calling thread; waits for a
    // running refresh() or poll(). Errors: as replace; unsupported (a bundle or plan); conflict (something is writing
    // there).
    Result<std::vector<AssetChange>> refresh(MountId mount);
    // Refreshes each mount with MountOptions::watch whose folder or project changed since the last call, or whose
    // bundle file another one has replaced; for a game to call once per frame. If nothing changed, it costs a call per
    // watched folder or bundle, and one per input of a project that is outside of its folders. If something did, it
    // reads and hashes what changed, and runs a project's jobs, before it returns: a game that cannot afford that calls
    // it on another thread, which delays no other call. It never waits for another thread or program: files that are
    // being written, and everything during another thread's refresh() or poll(), are left to a later call. Errors: as
    // refresh and replace; the mount stays as it was. Of a folder, the next call tries again. After a conflict, as of
    // two names that differ only in case, and after an error of a project or bundle, it does so when something has
    // changed.
    Result<std::vector<AssetChange>> poll();

    // ---- Paths ------------------------------------------------------------------------------------------------------

    // The asset of a look-up; links are followed. If there is no asset, find returns nothing and open returns missing.
    // "/assets/<id>": the first open from each bundle compares the whole content with the id; a copy that differs is
    // skipped in favour of another bundle's. A name is decided by its mount alone: if that is damaged, the result is an
    // error and never another bundle's asset, with extensions, too. Errors: corrupt, malformed, limit, io; unresolved
    // (the link table of `from` leads into a bundle that is not mounted); expired (the asset's own metadata say so, by
    // the policy and time of its mount).
    Result<std::optional<File>> find(const LookUp& wanted) const;
    Result<File> open(const LookUp& wanted) const;

    // Opens these paths and reads their whole files: what a level needs, in one call. Reads go through each bundle's
    // file from front to back, on this thread and on read_threads others. `receive` is called on this thread, once
    // per path; while it works, the others read on. Error: cancelled (`receive` ended it).
    Status read_files(std::span<const LookUp> wanted, const BatchReceiver& receive,
                      const BatchOptions& options = {}) const;

    // Whether there is a file, link or folder. False also if the path is malformed or a damaged mount decides about it:
    // find_stat() distinguishes these cases.
    bool exists(std::string_view path) const;
    // Sizes and ids are those the bundle claims; no content is read. Nothing: no such path.
    Result<std::optional<PathStat>> find_stat(std::string_view path, TreeView view = TreeView::everything) const;
    // Errors: missing, corrupt, malformed, limit, io.
    Result<PathStat> stat(std::string_view path) const;
    // "/assets/<id>" for a published name. Errors: as stat; missing also if it is not a link.
    Result<std::string> read_link(std::string_view path) const;

    // Which content has to be fetched before these paths can be read; empty: all is here. References are followed as
    // open() resolves them; those that lead nowhere are left out. Sorted by bundle. Content that is fetched later
    // is found by the same mounts. Reads tables, and no content. Errors: missing (a path at which there is no asset),
    // limit (more than assets_max), those of find().
    Result<std::vector<MissingContent>> find_missing(std::span<const std::string> paths,
                                                     ContentReach reach = ContentReach::assets,
                                                     std::size_t assets_max = 1u << 20) const;

    // Errors: as stat; missing also if it is not a folder.
    Result<Listing> open_listing(std::string_view path, TreeView view = TreeView::everything) const;
    // All entries; more than entries_max: limit.
    Result<std::vector<ListingEntry>> list(std::string_view path, std::size_t entries_max = 1u << 20) const;

    // ---- Traces (docs/traces.md) ------------------------------------------------------------------------------------

    // The assets that were opened so far, in the order in which each was opened first, as the text of a trace. Reads
    // the names of the mounted bundles with such assets; those that cannot be read are left out. For tools and tests of
    // a game: the text orders the next bundle, and downloads of this one. Error: unsupported (without the option).
    Result<std::string> trace() const;
    // Reads from the disk what the mounted bundles have of the assets that the trace lists, in its order and about 1
    // MiB at a time, so that the system has it in memory when the game opens it. Call it on a thread of its own, which
    // may be needed for as long as the disk takes. Assets that are not mounted, or not here, are left out; what cannot
    // be read is no error. Errors: malformed and limit (the text), cancelled.
    Status read_ahead(std::string_view trace, const std::stop_token& stop = {}) const;

    // Any number of threads may go on reading meanwhile.
    VfsFigures figures() const;

    // ---- Pure mode (docs/pure-mode.md): include <fardel/vfs/pure_check.h> to call these -----------------------------

    // From now on only what the policy allows is visible: its bundles, at their mount points and in its order;
    // exceptions, and loose files where they are tolerated, at the paths it lists; the variants it allows. Everything
    // else stays mounted and hidden; later mounts are judged too. Open files stay open. Returns everything that is
    // wrong: empty if the content set is whole and nothing had to be hidden. What a server brought is mounted before
    // with MountOptions::pure_only, so entering, going on to another server and leaving are one step each.
    PureReport enter_pure(PurePolicy policy);
    void leave_pure();
    // What enter_pure would return now; nothing: not in pure mode.
    std::optional<PureReport> pure_report() const;
    // Answers a server's offer for what is visible now, and reports everything that is wrong. `chosen`: the tags that
    // the game uses, by axis. `others`: what is wrong outside of this Vfs. Reads the pieces that the offer asks for.
    // Errors: denied (not in pure mode), corrupt (the offer is about another policy).
    Result<PureReply> answer_pure(const PureOffer& offer, std::span<const PureAxis> chosen, std::string_view connection,
                                  std::span<const PureProblem> others = {}) const;

    // ---- Inspection: include <fardel/vfs/inspect.h> to call these ---------------------------------------------------

    // In order of precedence; those that a pure policy hides come last.
    std::vector<MountDescription> mounts() const;
    // What find() considers and how it decides; with extensions, about the path that gives the asset, or the first that
    // is damaged. Damage is reported in the candidates. Of a reference of `from`, the path that it leads to, as it is
    // (extensions do not count). Errors: malformed, limit (path); of a reference those of find(), and missing.
    Result<Explanation> explain(const LookUp& wanted) const;
    // What is stated about the asset at a path, or of "/bundles/<id>" about the bundle. Reads tables, and no content:
    // also of an asset that has expired. Errors: as stat; missing also for any other folder.
    Result<Metadata> metadata(std::string_view path) const;
    // Every path that more than one mount publishes or hides, sorted by path. Reads all names of all mounts, so it is
    // for tools and start-up checks. Errors: limit (more than conflicts_max), corrupt, malformed, io.
    Result<std::vector<PathConflict>> conflicts(std::size_t conflicts_max = 1u << 20) const;
    // Every name and glob that a mounted bundle consumes and no mount publishes, and every bundle that one depends on
    // and that is not mounted. Errors: as conflicts.
    Result<UnresolvedNeeds> check_links(std::size_t unresolved_max = 1u << 20) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fardel
