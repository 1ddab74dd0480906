// StoreFolder: the names and files of a store on disk; docs/store.md describes them.
//
// Nothing is written in place: a file is complete and durable before it gets its name, and is read-only from then on.
// Other users may write to the folder, too: below it, no link that another user has made is followed (file_path.h).
// Any number of threads and processes at once.
#pragma once

#include "packs/pack_reference.h"
#include "packs/store_record.h"
#include "retention/store_lease.h"

#include <fardel/base/descriptor.h>
#include <fardel/base/file_clone.h>
#include <fardel/base/file_lock.h>
#include <fardel/base/file_path.h>
#include <fardel/base/file_status.h>
#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/hash.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {

// A pack under construction has this name and 32 random digits; its writer holds a lock on it.
inline constexpr std::string_view kUnnamedPackStart = "unnamed-";
inline constexpr std::string_view kUnlockedPackStart = "unnamed-unlocked-";  // of a writer whose lock others do not see

class StoreFolder {
public:
    // With `create`, creates the store and the folders above it, unless the path leads to anything but an empty folder.
    // Errors: missing, denied, no_space, io, malformed (no folder, no store), unsupported (a later layout; over SMB).
    static Result<StoreFolder> open(const std::string& path, bool create);

    const std::string& path() const noexcept { return root_.text(); }

    // Opens the store for work that must not take it for empty when its folder is gone for a moment: the result is
    // found through an open descriptor, whatever happens to the path. Errors: as open().
    Result<StoreFolder> hold() const;

    // Creates the folders of records, packs and what is received, as far as a program that was killed has not. Error:
    // missing (the store is gone).
    Status create_parts() const;

    // Returns the ids of all records, ascending. Files with other names are ignored.
    Result<std::vector<BundleId>> list_records() const;
    // Returns nothing if there is none. Errors: those of decode_store_record, corrupt (it is another bundle's), denied,
    // io.
    Result<std::optional<StoreRecord>> find_record(const BundleId& bundle) const;
    // Returns the last bytes of the record, which differ for different records; nothing if there is none. Errors:
    // corrupt (it is too short), denied, io.
    Result<std::optional<Hash>> find_record_checksum(const BundleId& bundle) const;
    // Replaces the record in one step and makes it durable. All packs of the record must be there.
    Status write_record(const StoreRecord& record) const;
    // The same for a record that only locates the bytes elsewhere: it keeps the time when the bundle was added.
    Status rewrite_record(const StoreRecord& record) const;
    // Returns when the removal is durable. It is no error if there is none.
    Status remove_record(const BundleId& bundle) const;
    Status sync_records() const;
    // Returns what changes whenever the record is replaced; nothing if there is none.
    Result<std::optional<FileStatus>> find_record_status(const BundleId& bundle) const;
    // Returns when the record was written; nothing if there is none.
    Result<std::optional<std::int64_t>> find_record_time(const BundleId& bundle) const;

    // Returns the ids and sizes of all packs, by id.
    Result<std::vector<StorePack>> list_packs() const;
    FilePath pack_path(const PackId& pack) const;
    // Opens the pack, or else the file that the store refers to instead. Errors: missing, corrupt (another size; the
    // file was changed), malformed (not a regular file; links are not followed), denied, io.
    Result<std::shared_ptr<const ByteSource>> open_pack(const StorePack& pack) const;
    // Returns the note that says in which file outside of the store the bytes of a pack are; nothing if there is no
    // such note. Errors: those of decode_pack_reference, corrupt (it is about another pack), denied, io.
    Result<std::optional<PackReference>> find_reference(const PackId& pack) const;
    // Replaces it in one step and makes it durable.
    Status write_reference(const PackReference& reference) const;
    // Returns false if there was none.
    Result<bool> remove_reference(const PackId& pack) const;
    // Returns the packs that are only referred to, by id. References that cannot be read have 0 bytes.
    Result<std::vector<StorePack>> list_references() const;
    // The files of a bundle on its way into the store; `ending`: "pack" or "log".
    FilePath incoming_path(const BundleId& bundle, std::string_view ending) const;
    // The folder of the block index, which may be missing.
    FilePath index_path() const { return root_ / "index"; }
    // A file or folder of what is known about use, pins and collections.
    FilePath retention_path(std::string_view name) const { return root_ / "retention" / name; }
    const FilePath& root() const noexcept { return root_; }
    // A folder of records, packs, references or received bytes.
    FilePath part_path(std::string_view name) const { return root_ / name; }
    // Opens the file of received bytes, which is created if it is missing, and locks it. As long as the lock is held,
    // the names of the bundle's incoming files belong to the caller. Errors: busy (another process has the lock),
    // denied, no_space, malformed (not a regular file), io.
    Result<Descriptor> lock_incoming(const BundleId& bundle) const;
    // Renames a complete, synced file to its name as a pack and makes it read-only. A file with that name is replaced:
    // it has the same bytes, or is damaged. A note about a file elsewhere with these bytes is removed.
    Status name_pack(const FilePath& path, const PackId& pack) const;
    // Does so for a pack whose writer may have been killed after it was renamed.
    Status make_read_only(const PackId& pack) const;

private:
    explicit StoreFolder(FilePath root) : root_(std::move(root)) {}
    FilePath record_path(const BundleId& bundle) const;
    FilePath reference_path(const PackId& pack) const { return part_path("refs") / pack.hex(); }
    FilePath root_;  // absolute, without links
};

// Writes the record of a bundle if all its packs are there. Errors: conflict (one is not), those of write_record.
Status publish_record(const StoreFolder& folder, StoreLease& lease, const StoreRecord& record);

// A pack under construction. Without seal(), nothing of it stays; what a killed writer leaves is removed by
// remove_abandoned_packs().
class PackWriter {
public:
    // Errors: denied, no_space, io.
    static Result<PackWriter> open(const StoreFolder& folder);
    // Lets the pack be the content of a file without copying it. Returns false if the system cannot do that; otherwise
    // the bytes of contents() have to be appended afterwards: all of them, in order. Call it before append().
    Result<bool> begin_as(const Descriptor& file, const CloneFile& clone);
    // What begin_as() made the content. Lives as long as the writer or longer.
    Result<std::shared_ptr<const ByteSource>> contents() const;
    // Returns the offset of the bytes in the pack.
    Result<std::uint64_t> append(std::span<const std::byte> bytes);
    std::uint64_t size_bytes() const noexcept { return size_bytes_; }
    // Makes the pack durable, has the lease hold it, and gives it its name. Call it once, after at least one byte.
    Result<StorePack> seal(StoreLease& lease) &&;

private:
    // Removes the file unless it was renamed.
    struct UnnamedFile {
        FilePath path;
        Descriptor file;  // locked
        ~UnnamedFile();
    };
    PackWriter(const StoreFolder& folder, std::unique_ptr<UnnamedFile> file)
        : folder_(&folder), file_(std::move(file)) {}
    Status flush();

    const StoreFolder* folder_;
    std::unique_ptr<UnnamedFile> file_;
    bool is_clone_ = false;          // the bytes are there already
    std::vector<std::byte> buffer_;  // the last bytes
    std::uint64_t size_bytes_ = 0;   // including the buffer
    Hasher hasher_;
};

}  // namespace fardel
