#include "packs/store_folder.h"

#include "packs/referred_file.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/base/random.h>
#include <fardel/base/shared_disk.h>
#include <fardel/format/file_source.h>
#include <fardel/format/staged_file.h>
#include <fardel/format/whole_file.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kStoreMarkerName = "fardel-store";
constexpr std::string_view kStoreMarkerStart = "fardel store, layout ";
constexpr std::string_view kStoreMarkerText = "fardel store, layout 1\n";
constexpr std::size_t kStoreMarkerBytesMax = 256;
constexpr std::uint32_t kReadOnly = 0444;
constexpr std::size_t kPackBufferBytes = 1u << 20;
constexpr int kLocksTried = 100;
constexpr std::size_t kUnnamedDigits = 32;

Status verify_marker(const FilePath& folder) {
    const auto bytes = read_unlinked_file(folder / kStoreMarkerName, kStoreMarkerBytesMax);
    if (!bytes && bytes.error().code() != ErrorCode::missing)
        return bytes.error();
    const std::string_view text =
        bytes ? std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size()) : std::string_view();
    if (!text.starts_with(kStoreMarkerStart))
        return Error(ErrorCode::malformed, folder.text() + ": not a store: it contains no file " +
                                               std::string(kStoreMarkerName) + " that says so");
    if (text != kStoreMarkerText)
        return Error(ErrorCode::unsupported,
                     folder.text() + ": the store has the layout of a later version of this program");
    return ok();
}

// Replaces nothing: where a file has no name while it is replaced, another program that creates the store at the same
// moment would find none.
Status create_marker(const FilePath& path) {
    FARDEL_TRY_ASSIGN(const auto staged, stage_file(path, ExistingFile::kept));
    FARDEL_TRY(staged->write_at(0, std::as_bytes(std::span(kStoreMarkerText))));
    Status created = staged->commit();
    return !created && created.error().code() == ErrorCode::conflict ? ok() : created;
}

// Over SMB, a client that may not replace a file, because another computer has it open, removes it and may then fail to
// give the new one its name: a record would name a pack that is gone.
Status verify_not_over_smb(const std::string& path, bool create) {
    std::string folder = path;
    const auto open_location = [&] { return open_folder(folder, folder, {.location_only = true}); };
    auto opened = open_location();
    // What does not exist will be created on the file system of the nearest folder above it.
    while (create && !opened && opened.error().code() == ErrorCode::missing && folder != folder_of_path(folder)) {
        folder = folder_of_path(folder);
        opened = open_location();
    }
    const auto type = opened ? find_smb(*opened) : std::nullopt;
    if (!type)
        return ok();
    return Error(ErrorCode::unsupported,
                 path + ": a store does not work on a share of SMB (" + *type +
                     "); keep it on a local disk or on NFS, and use the share for a published tree or a shared cache");
}

template <class Id>
std::optional<Id> parse_file_name(const std::string& name) {
    auto id = Id::parse(name);
    return id ? std::optional(*id) : std::nullopt;
}

}  // namespace

// ---- The folder -----------------------------------------------------------------------------------------------------

Result<StoreFolder> StoreFolder::open(const std::string& path, bool create) {
    if (path.empty() || path.find('\0') != std::string::npos)
        return Error(ErrorCode::malformed, "the path of a store must not be empty or contain NUL");
    FARDEL_TRY(verify_not_over_smb(path, create));
    if (create)
        FARDEL_TRY(create_folders(path, Lasting::yes));
    FARDEL_TRY_ASSIGN(std::string real, real_path(path, path));
    StoreFolder folder(FilePath::of_root(std::move(real)));
    if (create) {
        FARDEL_TRY_ASSIGN(const Descriptor opened, open_folder(folder.root_, folder.root_));
        FARDEL_TRY_ASSIGN(const auto names, list_names(opened, folder.root_));
        // Temporary files do not count: another program may be creating the same store.
        if (std::ranges::all_of(names, [](const std::string& name) { return name.starts_with(".fardel-"); }))
            FARDEL_TRY(create_marker(folder.root_ / kStoreMarkerName));
    }
    FARDEL_TRY(verify_marker(folder.root_));
    if (create)
        FARDEL_TRY(folder.create_parts());
    return folder;
}

Result<StoreFolder> StoreFolder::hold() const {
    FARDEL_TRY_ASSIGN(Descriptor descriptor, open_folder(root_, root_));
    StoreFolder held(FilePath::of_root(path(), std::make_shared<const Descriptor>(std::move(descriptor))));
    FARDEL_TRY(verify_marker(held.root_));
    return held;
}

Status StoreFolder::create_parts() const {
    for (const char* const part : {"bundles", "packs", "incoming"})
        FARDEL_TRY(create_folders_below_root(part_path(part), Lasting::yes));
    return ok();
}

FilePath StoreFolder::record_path(const BundleId& bundle) const { return part_path("bundles") / bundle.hex(); }
FilePath StoreFolder::pack_path(const PackId& pack) const { return part_path("packs") / pack.hex(); }
FilePath StoreFolder::incoming_path(const BundleId& bundle, std::string_view ending) const {
    return part_path("incoming") / (bundle.hex() + "." + std::string(ending));
}

Result<std::vector<BundleId>> StoreFolder::list_records() const {
    FARDEL_TRY_ASSIGN(const auto names, list_names_at(part_path("bundles")));
    std::vector<BundleId> ids;
    for (const std::string& name : names)
        if (const auto id = parse_file_name<BundleId>(name))
            ids.push_back(*id);
    return ids;
}

Result<std::optional<StoreRecord>> StoreFolder::find_record(const BundleId& bundle) const {
    const FilePath path = record_path(bundle);
    auto bytes = read_unlinked_file(path, kStoreRecordBytesMax);
    if (!bytes && bytes.error().code() == ErrorCode::missing)
        return std::optional<StoreRecord>();
    if (!bytes)
        return std::move(bytes).error();
    auto record = decode_store_record(*bytes);
    if (!record)
        return std::move(record).error().with_context(path.text());
    if (record->bundle != bundle)
        return Error(ErrorCode::corrupt, path.text() + ": the record of another bundle");
    return std::optional(*std::move(record));
}

Result<std::optional<Hash>> StoreFolder::find_record_checksum(const BundleId& bundle) const {
    const FilePath path = record_path(bundle);
    return read_present([&]() -> Result<std::optional<Hash>> {
        const auto file = open_regular_file(path, path, {.links = Links::refused});
        if (!file && file.error().code() == ErrorCode::missing)
            return std::optional<Hash>();
        if (!file)
            return file.error();
        Hash checksum;
        if (file->status.size_bytes < sizeof checksum)
            return Error(ErrorCode::corrupt, path.text() + ": too short");
        FARDEL_TRY_ASSIGN(const std::size_t count,
                          read_whole_at(file->descriptor, file->status.size_bytes - sizeof checksum,
                                        std::as_writable_bytes(std::span(checksum.bytes)), path));
        return count == sizeof checksum ? std::optional(checksum) : std::nullopt;
    });
}

Status StoreFolder::write_record(const StoreRecord& record) const {
    const std::vector<std::byte> bytes = encode_store_record(record);
    const FilePath path = record_path(record.bundle);
    if (bytes.size() > kStoreRecordBytesMax)
        return Error(ErrorCode::limit, path.text() + ": the bundle would lie in too many pieces");
    // Links are replaced by the renaming; nothing else that is no file can be.
    FARDEL_TRY_ASSIGN(const auto status, find_file_status(path, path, Links::refused));
    if (status && !status->is_file() && !status->is_folder())
        FARDEL_TRY(remove_file(path, path));
    FARDEL_TRY(sync_folder(root_));  // a program that was killed may have created the folders of packs and records
    return write_small_file(path, bytes);
}

Status StoreFolder::rewrite_record(const StoreRecord& record) const {
    FARDEL_TRY_ASSIGN(const auto written_ns, find_record_time(record.bundle));
    FARDEL_TRY(write_record(record));
    const FilePath path = record_path(record.bundle);
    return written_ns ? set_times(path, {.used_ns = std::nullopt, .modified_ns = *written_ns}, path) : ok();
}

Status StoreFolder::remove_record(const BundleId& bundle) const {
    const FilePath path = record_path(bundle);
    FARDEL_TRY(remove_file(path, path));
    return sync_folder(path.folder());
}

Status StoreFolder::sync_records() const { return sync_folder(part_path("bundles")); }

Result<std::optional<FileStatus>> StoreFolder::find_record_status(const BundleId& bundle) const {
    const FilePath path = record_path(bundle);
    return find_file_status(path, path, Links::refused);
}

Result<std::optional<std::int64_t>> StoreFolder::find_record_time(const BundleId& bundle) const {
    FARDEL_TRY_ASSIGN(const auto status, find_record_status(bundle));
    return status ? std::optional(status->modified_ns) : std::nullopt;
}

Result<std::vector<StorePack>> StoreFolder::list_packs() const {
    const FilePath path = part_path("packs");
    FARDEL_TRY_ASSIGN(const auto names, list_names_at(path));
    std::vector<StorePack> packs;
    for (const std::string& name : names) {
        const auto id = parse_file_name<PackId>(name);
        if (!id)
            continue;
        FARDEL_TRY_ASSIGN(const auto status, find_file_status(path / name, path, Links::refused));
        if (status && status->is_file())  // it may have been removed meanwhile
            packs.push_back({.id = *id, .size_bytes = status->size_bytes});
    }
    return packs;
}

Result<std::shared_ptr<const ByteSource>> StoreFolder::open_pack(const StorePack& pack) const {
    const FilePath path = pack_path(pack.id);
    auto file = open_regular_file(path, path, {.links = Links::refused});
    if (!file && file.error().code() == ErrorCode::missing) {
        FARDEL_TRY_ASSIGN(const auto reference, find_reference(pack.id));
        if (reference && reference->pack == pack)
            return open_referred_file(*this, *reference);
    }
    if (!file)
        return std::move(file).error();
    if (may_be_private_elsewhere(file->status))  // packs may be read by everybody
        return Error(ErrorCode::corrupt, path.text() + ": a second name of a file that not everybody may read");
    if (file->status.size_bytes != pack.size_bytes)
        return Error(ErrorCode::corrupt, path.text() + ": " + std::to_string(file->status.size_bytes) +
                                             " bytes instead of " + std::to_string(pack.size_bytes));
    return make_file_source(std::move(file->descriptor), pack.size_bytes, path.text());
}

// ---- References -----------------------------------------------------------------------------------------------------

Result<std::optional<PackReference>> StoreFolder::find_reference(const PackId& pack) const {
    const FilePath path = reference_path(pack);
    auto file = read_unlinked_file_with_status(path, kReferenceBytesMax);
    if (!file && file.error().code() == ErrorCode::missing)
        return std::optional<PackReference>();
    if (!file)
        return std::move(file).error();
    auto reference = decode_pack_reference(file->bytes);
    if (!reference)
        return std::move(reference).error().with_context(path.text());
    if (reference->pack.id != pack)
        return Error(ErrorCode::corrupt, path.text() + ": it is about another pack");
    // A stamp is believed by who made it. Somebody else who may write to a shared store could name any file that this
    // user may read, with its right stamp, and have it sent by a server: such a file is compared with the pack's id.
    if (!is_written_by_us_alone(file->status))
        reference->stamp.young = true;
    return std::optional(*std::move(reference));
}

Status StoreFolder::write_reference(const PackReference& reference) const {
    FARDEL_TRY(create_folders_below_root(part_path("refs"), Lasting::yes));
    const FilePath path = reference_path(reference.pack.id);
    FARDEL_TRY(write_small_file(path, encode_pack_reference(reference)));
    return set_permissions(path, kReadOnly, path);  // whatever the umask: a stamp that others may write proves nothing
}

Result<bool> StoreFolder::remove_reference(const PackId& pack) const {
    const FilePath path = reference_path(pack);
    return remove_file(path, path);
}

Result<std::vector<StorePack>> StoreFolder::list_references() const {
    FARDEL_TRY_ASSIGN(const auto names, list_names_at(part_path("refs")));
    std::vector<StorePack> packs;
    for (const std::string& name : names) {
        const auto id = parse_file_name<PackId>(name);
        if (!id)
            continue;
        const FilePath path = pack_path(*id);
        FARDEL_TRY_ASSIGN(const auto pack, find_file_status(path, path, Links::refused));
        if (pack)
            continue;
        const auto reference = find_reference(*id);
        packs.push_back({.id = *id, .size_bytes = reference && *reference ? (*reference)->pack.size_bytes : 0});
    }
    return packs;
}

// ---- Incoming bundles, and names ------------------------------------------------------------------------------------

Result<Descriptor> StoreFolder::lock_incoming(const BundleId& bundle) const {
    const FilePath path = incoming_path(bundle, "pack");
    const Error busy(ErrorCode::busy, "bundle " + bundle.hex() + " is being fetched by another process");
    for (int tried = 0; tried < kLocksTried; ++tried) {
        FARDEL_TRY_ASSIGN(Descriptor file, open_or_create_file(path));
        FARDEL_TRY_ASSIGN(const bool locked, lock_file(file, path));
        if (!locked)
            return busy;
        // Another process may have renamed the file to a pack, or removed it, after it was opened here.
        FARDEL_TRY_ASSIGN(const bool is_there, has_name(file, path, path));
        if (is_there)
            return file;
    }
    return busy;
}

Status StoreFolder::name_pack(const FilePath& path, const PackId& pack) const {
    const FilePath named = pack_path(pack);
    FARDEL_TRY(rename_own(path, named));
    FARDEL_TRY(make_read_only(pack));
    static_cast<void>(remove_reference(pack));
    return sync_folder(named.folder());
}

Status StoreFolder::make_read_only(const PackId& pack) const {
    const FilePath named = pack_path(pack);
    Status made = set_permissions(named, kReadOnly, named);
    // Another user of a shared store has begun it, and only that one may change its permissions.
    return !made && made.error().code() == ErrorCode::denied ? ok() : made;
}

Status publish_record(const StoreFolder& folder, StoreLease& lease, const StoreRecord& record) {
    std::vector<PackId> packs;
    for (const StorePack& pack : record.packs)
        packs.push_back(pack.id);
    return lease.publish(record.bundle, packs, [&] { return folder.write_record(record); });
}

// ---- Packs ----------------------------------------------------------------------------------------------------------

PackWriter::UnnamedFile::~UnnamedFile() {
    if (path.empty())
        return;
    static_cast<void>(remove_file(path, path));
    file.close();
}

Result<PackWriter> PackWriter::open(const StoreFolder& folder) {
    const FilePath packs = folder.part_path("packs");
    FARDEL_TRY_ASSIGN(const Descriptor opened, open_folder(packs, packs));
    // Where other machines do not see our locks, they must not take this pack for an abandoned one.
    const std::string start(find_unseen_locks(opened) ? kUnlockedPackStart : kUnnamedPackStart);
    for (int tried = 0; tried < kLocksTried; ++tried) {
        Hash number;
        fill_random(std::as_writable_bytes(std::span(number.bytes)));
        FilePath path = packs / (start + number.hex().substr(0, kUnnamedDigits));
        FARDEL_TRY_ASSIGN(Descriptor created, create_lockable_file(path));
        std::unique_ptr<UnnamedFile> file(new UnnamedFile{std::move(path), std::move(created)});
        // Another process may take it for an abandoned one before it is locked. Without locks, none is removed.
        if (const auto locked = lock_file(file->file, file->path); locked && !*locked)
            continue;
        FARDEL_TRY_ASSIGN(const bool is_there, has_name(file->file, file->path, file->path));
        if (is_there)
            return PackWriter(folder, std::move(file));
    }
    return Error(ErrorCode::busy, folder.path() + ": other processes remove each new pack");
}

Result<bool> PackWriter::begin_as(const Descriptor& file, const CloneFile& clone) {
    FARDEL_TRY_ASSIGN(is_clone_, clone(file, file_->file, file_->path.text()));
    return is_clone_;
}

Result<std::shared_ptr<const ByteSource>> PackWriter::contents() const {
    FARDEL_TRY_ASSIGN(const FileStatus status, file_status(file_->file, file_->path));
    FARDEL_TRY_ASSIGN(Descriptor same, file_->file.duplicate(file_->path));
    return make_file_source(std::move(same), status.size_bytes, file_->path.text());
}

Status PackWriter::flush() {
    if (!is_clone_)
        FARDEL_TRY(write_whole_at(file_->file, size_bytes_ - buffer_.size(), buffer_, file_->path));
    hasher_.update(buffer_);
    buffer_.clear();
    return ok();
}

Result<std::uint64_t> PackWriter::append(std::span<const std::byte> bytes) {
    const std::uint64_t offset = size_bytes_;
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    size_bytes_ += bytes.size();
    if (buffer_.size() >= kPackBufferBytes)
        FARDEL_TRY(flush());
    return offset;
}

Result<StorePack> PackWriter::seal(StoreLease& lease) && {
    FARDEL_TRY(flush());
    const StorePack pack{.id = hasher_.finish(), .size_bytes = size_bytes_};
    FARDEL_TRY(sync_file(file_->file, file_->path));
    // Before the pack has its name: no record names it yet, so a collection would take it for one that nothing needs.
    FARDEL_TRY(lease.hold({.bundles = {}, .packs = {pack.id}}));
    FARDEL_TRY(folder_->name_pack(file_->path, pack.id));
    file_->path.clear();
    return pack;
}

}  // namespace fardel
