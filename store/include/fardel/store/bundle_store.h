// BundleStore: bundles in a folder, found by id; blocks that several bundles share are on disk once. BundleLibrary:
// plain folders of bundle files, found by id in the same way.
//
// docs/store.md describes the files. A stored bundle is read through a ByteSource with the same bytes as the file that
// was added, so mounting and exporting need nothing else. The store itself trusts nothing: whoever reads a bundle
// compares every byte with the bundle id. Any number of threads, processes and games may use one store at once.
#pragma once

#include <fardel/base/result.h>
#include <fardel/base/unix_time.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct BundlePin;
struct Envelope;  // <fardel/format/statement.h>
struct CollectionReport;
struct RetainedBundle;
struct RetentionRules;
struct StoreUsage;

struct StoreProgress {
    std::uint64_t done_bytes = 0;
    std::uint64_t total_bytes = 0;
};

struct StoreWork {
    std::function<void(const StoreProgress&)> progress;  // called by the thread that does the work
    std::stop_token stop;
};

struct StoreAddition {
    BundleId bundle;
    bool was_there = false;           // the store had all of it, perhaps in another layout; nothing was written
    std::uint64_t file_bytes = 0;     // of the bundle file
    std::uint64_t written_bytes = 0;  // to a new pack
    std::uint64_t shared_bytes = 0;   // that other bundles in the store have, too
};

struct StoredBundle {
    BundleId bundle;
    std::uint64_t file_bytes = 0;
    std::uint64_t held_bytes = 0;  // less than file_bytes: incomplete
    std::size_t packs = 0;
    std::size_t references = 0;        // packs whose bytes are in files outside of the store
    std::size_t stale_references = 0;  // of `references`: the file is gone or has changed
    std::uint64_t referred_bytes = 0;  // of the bundle file, in `references`
};

struct StoreCheckReport {
    std::uint64_t bundles = 0;
    std::uint64_t packs = 0;
    std::uint64_t pack_bytes = 0;
    std::uint64_t unused_packs = 0;  // that no bundle needs
    std::uint64_t unused_bytes = 0;
    std::vector<std::string> findings;  // what is wrong, one sentence each, by file
    std::vector<BundleId> damaged;      // bundles that cannot be read whole because of a finding, ascending
    std::uint64_t incomplete = 0;       // bundles of which only a part was fetched
    std::uint64_t incoming = 0;         // bundles on their way, of which a fetch received something
    std::uint64_t incoming_bytes = 0;
    std::uint64_t abandoned_files = 0;  // of writers that were killed; the next addition or fetch removes them
    std::uint64_t abandoned_bytes = 0;
};

// What is asked or changed while the folder of the store is gone ends with `missing`.
class BundleStore {
public:
    // With `create`, creates the store and the folders above it, unless the path leads to anything but an empty folder.
    // Errors: missing, denied, no_space, io, malformed (no folder, no store), unsupported (a later layout; over SMB).
    static Result<BundleStore> open(const std::string& path, bool create);
    ~BundleStore();
    BundleStore(BundleStore&&) noexcept;
    BundleStore& operator=(BundleStore&&) noexcept;

    const std::string& path() const noexcept;

    // Adds the bytes of a bundle file, which the caller has verified (verify_bundle). Blocks that the store has are not
    // written again; their bytes are compared, whatever their hashes say. If the store has the bundle in the same
    // layout, only signatures that it lacks are added. Errors: those of Bundle::open; corrupt (a block does not have
    // its hash), cancelled, no_space, io.
    Result<StoreAddition> add(const std::shared_ptr<const ByteSource>& file, const StoreWork& work = {}) const;

    // The bundles, ascending. Those whose records are damaged are left out: check() reports them.
    Result<std::vector<StoredBundle>> list() const;
    // Whether the store has the bundle or a part of it. Errors: those of reading its record.
    Result<bool> has(const BundleId& bundle) const;
    // Returns the one bundle whose id begins with `digits`, at least 8 of the 64 lower-case hexadecimal digits. Errors:
    // malformed, missing, conflict (several do).
    Result<BundleId> find(std::string_view digits) const;

    // Returns the bytes of the bundle file. They are pinned: what happens to the store afterwards has no effect, and no
    // collection removes the bundle meanwhile. What fetches add to an incomplete bundle can be read, too. Counts as a
    // use. Errors: missing, corrupt, denied, io.
    Result<std::shared_ptr<const ByteSource>> open_bundle(const BundleId& bundle) const;
    // The same; a bundle of which only a part is here is missing, too.
    Result<std::shared_ptr<const ByteSource>> open_whole_bundle(const BundleId& bundle) const;
    // The same for a look at the bundle that is no use of it.
    Result<std::shared_ptr<const ByteSource>> peek_bundle(const BundleId& bundle) const;
    // Returns the bundle and all its static dependencies, each after those that it needs. Errors: unresolved (names all
    // that are missing), limit (more than 65,536), those of open_bundle and Bundle::open.
    Result<std::vector<BundleId>> closure(const BundleId& bundle) const;
    // Writes the file that was added. The caller has verified the bundle. Errors: those of open_bundle and stage_file;
    // missing (it is incomplete), cancelled.
    Status export_bundle(const BundleId& bundle, const std::string& path, const StoreWork& work = {}) const;

    // Checks that all records can be read and all packs are there; with `read_packs`, also that each pack has the bytes
    // of its name, and that records locate blocks with the right hashes in them. Changes nothing. Errors: cancelled, io
    // (of the folder itself).
    Result<StoreCheckReport> check(bool read_packs, const StoreWork& work = {}) const;

    // ---- Retention (docs/retention.md) ----

    // The bundle need not be there yet. Replaces a pin of the same name. Errors: malformed (the name), denied,
    // no_space, io.
    Status pin(const BundlePin& pin) const;
    // Returns false if there was none.
    Result<bool> unpin(const BundleId& bundle, const std::string& name) const;
    Result<std::vector<BundlePin>> pins() const;
    // Keeps a licence token for the bundles that it is about; parse_license_token() has verified its signature. A
    // bundle whose tokens have all ended is removed by collect(). Errors: limit, busy, denied, no_space, io.
    Status add_license(const Envelope& token) const;
    // For MountOptions::licenses.
    Result<std::vector<Envelope>> licenses() const;
    // Has the next collections remove bundles. Who opens or adds one before that takes it back. Errors: missing, denied
    // (a pin), conflict (another bundle needs one; all of them can be removed together), busy, no_space, io.
    Status remove_bundles(std::span<const BundleId> bundles, UnixTime now) const;
    // What named these bundles names them no more: the next collections remove those that nothing else keeps. What is
    // not here is passed over. Errors: busy, denied, no_space, io, unsupported (no locks).
    Status release_bundles(std::span<const BundleId> bundles, UnixTime now) const;
    // Removes what the rules say, and what no bundle needs: docs/retention.md describes how. Safe beside everything
    // else. Errors: unsupported (the file system has no locks; nothing is removed), busy, denied, no_space, io.
    Result<CollectionReport> collect(const RetentionRules& rules) const;
    // The bundles with what decides about them, ascending. Without `now`, no pin has passed.
    Result<std::vector<RetainedBundle>> retained(std::optional<UnixTime> now) const;
    Result<StoreUsage> usage(UnixTime now) const;

    // Removes what killed writers left, except what a fetch can resume. add() and fetches call it.
    void remove_leftovers() const;

private:
    friend class StoreHold;
    struct Impl;
    explicit BundleStore(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

// Keeps bundles from being collected until it is destroyed, for a program that goes on to need them: those that are
// there, and what they need. One thread at a time.
class StoreHold {
public:
    static Result<StoreHold> open(const BundleStore& store);
    ~StoreHold();
    StoreHold(StoreHold&&) noexcept;
    StoreHold& operator=(StoreHold&&) noexcept;

    // Look whether the bundle is there afterwards. Errors: busy, denied, no_space, io.
    Status hold(const BundleId& bundle);

private:
    struct Impl;
    explicit StoreHold(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

// ---- Libraries ------------------------------------------------------------------------------------------------------

struct LibraryBundle {
    BundleId bundle;
    std::string path;
    std::uint64_t file_bytes = 0;
};

// Folders of *.fardel files as they were when they were looked at. Nothing is copied and nothing in them is changed;
// whether a file is still the bundle is seen when it is opened. Any thread.
class BundleLibrary {
public:
    // Looks at the files of each folder, not at those of folders below, and follows no links. Heads that were read are
    // remembered in the folder `index_folder` by size, times and inode of the files; its files may be deleted at any
    // time. Empty: all heads are read each time. Errors: missing (also if it is no folder), denied, limit (more than a
    // million bundle files), io.
    static Result<BundleLibrary> open(std::span<const std::string> folders, const std::string& index_folder = {});
    ~BundleLibrary();
    BundleLibrary(BundleLibrary&&) noexcept;
    BundleLibrary& operator=(BundleLibrary&&) noexcept;

    // Absolute paths.
    const std::vector<std::string>& folders() const noexcept;
    // By id. Of files with the same id, the first folder and the first name come first.
    std::span<const LibraryBundle> bundles() const noexcept;
    bool has(const BundleId& bundle) const;
    // As BundleStore::find.
    Result<BundleId> find(std::string_view digits) const;
    // Returns the first file that is the bundle and as long as its heads say. Its bytes are not verified otherwise.
    // Errors: missing (also if the files were replaced or removed since), corrupt, denied, io.
    Result<std::shared_ptr<const ByteSource>> open_bundle(const BundleId& bundle) const;
    // How many files were opened because no index knew them.
    std::uint64_t heads_read() const noexcept;

private:
    struct Impl;
    explicit BundleLibrary(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

// A store and libraries, looked through in this order; either may be nullptr. What the store has only a part of comes
// from a library, if one has it. Borrows both.
class BundleLookup {
public:
    BundleLookup(const BundleStore* store, const BundleLibrary* library) : store_(store), library_(library) {}

    // As BundleStore::find, ::open_bundle and ::closure.
    Result<BundleId> find(std::string_view digits) const;
    Result<std::shared_ptr<const ByteSource>> open_bundle(const BundleId& bundle) const;
    Result<std::vector<BundleId>> closure(const BundleId& bundle) const;

private:
    Result<std::shared_ptr<const ByteSource>> find_source(const BundleId& bundle) const;
    std::string where() const;
    const BundleStore* store_;
    const BundleLibrary* library_;
};

}  // namespace fardel
