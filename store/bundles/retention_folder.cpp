#include "bundles/retention_folder.h"

#include <fardel/base/ascii.h>
#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>
#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/format/random.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <thread>

namespace fardel {
namespace {

constexpr auto kLockWaitMax = std::chrono::seconds(30);
constexpr auto kLockPause = std::chrono::milliseconds(2);
constexpr int kUseLocksTried = 100;
constexpr std::size_t kLeaseBytesMax = 16u << 20;
constexpr std::size_t kPinBytesMax = 64;
constexpr std::size_t kSourceBytesMax = 2048;
constexpr std::size_t kLeaseDigits = 32;
constexpr std::size_t kBundleDigits = 64;
constexpr std::string_view kLeaseMagic = "FARDELSL";
constexpr std::string_view kPinStart = "until ";
constexpr std::int64_t kNsPerSecond = 1'000'000'000;

struct LockedFile final : DiskHold {
    explicit LockedFile(Descriptor locked) : file(std::move(locked)) {}
    ~LockedFile() override { unlock_file(file); }
    LockedFile(const LockedFile&) = delete;
    LockedFile& operator=(const LockedFile&) = delete;
    Descriptor file;
};

// Locks fail in one of these ways where there are none.
Error lock_error(Error error, const std::string& path) {
    const int number = error.system_number();
    if (number == ENOLCK || number == ENOSYS || number == EOPNOTSUPP)
        return Error(ErrorCode::unsupported, path + ": the file system has no locks", number);
    return error;
}

std::vector<std::byte> encode_lease(const LeasedIds& ids) {
    ByteWriter writer;
    writer.text(kLeaseMagic);
    writer.u32(static_cast<std::uint32_t>(ids.bundles.size()));
    writer.u32(static_cast<std::uint32_t>(ids.packs.size()));
    for (const BundleId& bundle : ids.bundles)
        writer.fixed(bundle);
    for (const Hash& pack : ids.packs)
        writer.fixed(pack);
    return writer.take();
}

std::optional<LeasedIds> decode_lease(std::span<const std::byte> bytes) {
    LeasedIds ids;
    if (bytes.empty())
        return ids;  // of a writer that has not named anything yet
    ByteReader reader(bytes, "lease");
    const bool is_lease = reader.text(kLeaseMagic.size()) == kLeaseMagic;
    const std::uint64_t bundles = reader.u32();
    const std::uint64_t packs = reader.u32();
    if (!is_lease || reader.rest_bytes() != (bundles + packs) * sizeof(Hash))
        return std::nullopt;
    for (std::uint64_t i = 0; i < bundles; ++i)
        ids.bundles.push_back(reader.fixed<BundleId>());
    for (std::uint64_t i = 0; i < packs; ++i)
        ids.packs.push_back(reader.fixed<Hash>());
    return ids;
}

class LeaseOnDisk final : public LeaseFile {
public:
    LeaseOnDisk(Descriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
    ~LeaseOnDisk() override { static_cast<void>(remove_file(path_, path_)); }
    LeaseOnDisk(const LeaseOnDisk&) = delete;
    LeaseOnDisk& operator=(const LeaseOnDisk&) = delete;

    Status write(const LeasedIds& ids) override { return write_whole_at(file_, 0, encode_lease(ids), path_); }

private:
    const Descriptor file_;  // locked
    const std::string path_;
};

Result<std::vector<std::string>> list_part_names(const std::string& path) {
    const auto folder = open_folder(path, path);
    if (!folder && folder.error().code() == ErrorCode::missing)
        return std::vector<std::string>();
    if (!folder)
        return folder.error();
    return list_names(*folder, path);
}

std::string text_of(const std::vector<std::byte>& bytes) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::optional<BundlePin> pin_of_name(std::string_view name) {
    if (name.size() <= kBundleDigits + 1 || name[kBundleDigits] != '-')
        return std::nullopt;
    const auto bundle = BundleId::parse(name.substr(0, kBundleDigits));
    const std::string_view given = name.substr(kBundleDigits + 1);
    if (!bundle || !is_pin_name(given))
        return std::nullopt;
    return BundlePin{.bundle = *bundle, .name = std::string(given), .until_s = std::nullopt};
}

std::optional<std::int64_t> parse_until(std::string_view text) {
    if (!text.starts_with(kPinStart) || !text.ends_with('\n'))
        return std::nullopt;
    text.remove_prefix(kPinStart.size());
    text.remove_suffix(1);
    std::int64_t until = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), until);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(until) : std::nullopt;
}

}  // namespace

// ---- The lock -------------------------------------------------------------------------------------------------------

Status RetentionFolder::create_part(const char* name) const { return create_folders(folder_.retention_path(name)); }

// Opens a file below retention/, and creates it and its folder.
Result<Descriptor> RetentionFolder::open_noted(const std::string& path) const {
    auto file = open_or_create_file(path);
    if (file || file.error().code() != ErrorCode::missing)
        return file;
    FARDEL_TRY(create_folders(folder_of_path(path)));
    return open_or_create_file(path);
}

Result<std::unique_ptr<DiskHold>> RetentionFolder::lock() {
    const std::string path = folder_.retention_path("lock");
    FARDEL_TRY_ASSIGN(Descriptor file, open_noted(path));
    const auto deadline = std::chrono::steady_clock::now() + kLockWaitMax;
    for (;;) {
        auto locked = lock_file(file, path);
        if (!locked)
            return lock_error(std::move(locked).error(), path);
        if (*locked)
            return std::unique_ptr<DiskHold>(new LockedFile(std::move(file)));
        if (std::chrono::steady_clock::now() > deadline)
            return Error(ErrorCode::busy, path + ": another program has had the lock for long; try again");
        std::this_thread::sleep_for(kLockPause);
    }
}

// ---- Records and packs ----------------------------------------------------------------------------------------------

Result<std::optional<std::vector<Hash>>> RetentionFolder::find_packs_of(const BundleId& bundle) {
    FARDEL_TRY_ASSIGN(const auto record, folder_.find_record(bundle));
    if (!record)
        return std::optional<std::vector<Hash>>();
    std::vector<Hash> packs;
    for (const StorePack& pack : record->packs)
        packs.push_back(pack.id);
    return std::optional(std::move(packs));
}

Result<std::vector<PackOnDisk>> RetentionFolder::list_packs() {
    FARDEL_TRY_ASSIGN(const auto stored, folder_.list_packs());
    std::vector<PackOnDisk> packs;
    for (const StorePack& pack : stored)
        packs.push_back({.id = pack.id, .size_bytes = pack.size_bytes});
    return packs;
}

Result<bool> RetentionFolder::has_pack(const Hash& pack) {
    const std::string path = folder_.pack_path(pack);
    FARDEL_TRY_ASSIGN(const auto status, find_file_status(path, path, Links::refused));
    return status && status->is_file();
}

Status RetentionFolder::remove_pack(const Hash& pack) {
    const std::string path = folder_.pack_path(pack);
    FARDEL_TRY(remove_file(path, path));
    return ok();
}

// ---- What is condemned ----------------------------------------------------------------------------------------------

Result<CondemnedList> RetentionFolder::read_condemned() {
    const auto bytes = read_unlinked_file(folder_.retention_path("condemned"), kCondemnedBytesMax);
    if (!bytes && bytes.error().code() == ErrorCode::missing)
        return CondemnedList();
    if (!bytes)
        return bytes.error();
    auto list = decode_condemned_list(*bytes);
    if (!list && list.error().code() != ErrorCode::unsupported)
        return CondemnedList();
    return list;
}

Status RetentionFolder::replace_condemned(const CondemnedList& list) {
    return write_small_file(folder_.retention_path("condemned"), encode_condemned_list(list));
}

// ---- Leases ---------------------------------------------------------------------------------------------------------

Result<std::unique_ptr<LeaseFile>> RetentionFolder::create_lease() {
    FARDEL_TRY(create_part("leases"));
    Hash number;
    fill_random(std::as_writable_bytes(std::span(number.bytes)));
    std::string path = folder_.retention_path("leases/" + number.hex().substr(0, kLeaseDigits));
    FARDEL_TRY_ASSIGN(Descriptor file, create_file(path, path));
    const auto locked = lock_file(file, path);
    if (!locked || !*locked) {
        static_cast<void>(remove_file(path, path));
        return locked ? Error(ErrorCode::busy, path + ": another program has locked it") : locked.error();
    }
    return std::unique_ptr<LeaseFile>(new LeaseOnDisk(std::move(file), std::move(path)));
}

Result<std::vector<FoundLease>> RetentionFolder::list_leases() {
    FARDEL_TRY_ASSIGN(const auto names, list_part_names(folder_.retention_path("leases")));
    std::vector<FoundLease> leases;
    for (const std::string& name : names) {
        const std::string path = folder_.retention_path("leases/" + name);
        const auto file = open_regular_file(path, path, {.access = FileAccess::read_write, .links = Links::refused});
        if (!file && file.error().code() == ErrorCode::missing)
            continue;  // its writer has finished
        if (!file)
            return file.error();
        FARDEL_TRY_ASSIGN(const bool is_free, lock_file(file->descriptor, path));
        FoundLease lease{.name = name,
                         .is_locked = !is_free,
                         .renewed_s = file->status.modified_ns / kNsPerSecond,
                         .ids = std::nullopt};
        if (file->status.size_bytes <= kLeaseBytesMax) {
            std::vector<std::byte> bytes(static_cast<std::size_t>(file->status.size_bytes));
            FARDEL_TRY_ASSIGN(const std::size_t count, read_whole_at(file->descriptor, 0, bytes, path));
            bytes.resize(count);
            lease.ids = decode_lease(bytes);
        }
        leases.push_back(std::move(lease));
    }
    return leases;
}

Status RetentionFolder::remove_lease(const std::string& name) {
    const std::string path = folder_.retention_path("leases/" + name);
    FARDEL_TRY(remove_file(path, path));
    return ok();
}

// ---- Uses -----------------------------------------------------------------------------------------------------------

Result<std::unique_ptr<DiskHold>> RetentionFolder::open_use(const BundleId& bundle) {
    const std::string path = use_path(bundle);
    for (int tried = 0; tried < kUseLocksTried; ++tried) {
        FARDEL_TRY_ASSIGN(Descriptor file, open_noted(path));
        const auto locked = lock_file_shared(file, path);
        if (locked && !*locked)
            return std::unique_ptr<DiskHold>();
        FARDEL_TRY_ASSIGN(const FileStatus status, file_status(file, path));
        if (status.links == 0)
            continue;  // a collection removed it a moment ago
        FARDEL_TRY(touch_used_time(path, path));
        return std::unique_ptr<DiskHold>(new LockedFile(std::move(file)));
    }
    return std::unique_ptr<DiskHold>();
}

Result<std::unique_ptr<DiskHold>> RetentionFolder::claim_use(const BundleId& bundle) {
    const std::string path = use_path(bundle);
    FARDEL_TRY_ASSIGN(Descriptor file, open_noted(path));
    FARDEL_TRY_ASSIGN(const bool locked, lock_file(file, path));
    return locked ? std::unique_ptr<DiskHold>(new LockedFile(std::move(file))) : std::unique_ptr<DiskHold>();
}

Status RetentionFolder::forget_use(const BundleId& bundle) {
    for (const std::string& path : {use_path(bundle), folder_.retention_path("sources/" + bundle.hex())})
        FARDEL_TRY(remove_file(path, path));
    return ok();
}

Result<std::int64_t> RetentionFolder::last_use(const BundleId& bundle) const {
    const std::string path = use_path(bundle);
    FARDEL_TRY_ASSIGN(const auto added_ns, folder_.find_record_time(bundle));
    FARDEL_TRY_ASSIGN(const auto used, find_file_status(path, path, Links::refused));
    return std::max(added_ns.value_or(0), used ? used->used_ns : 0) / kNsPerSecond;
}

// ---- Pins and sources -----------------------------------------------------------------------------------------------

Result<std::vector<BundlePin>> RetentionFolder::list_pins() const {
    FARDEL_TRY_ASSIGN(const auto names, list_part_names(folder_.retention_path("pins")));
    std::vector<BundlePin> pins;
    for (const std::string& name : names) {
        auto pin = pin_of_name(name);
        if (!pin)
            continue;
        if (const auto bytes = read_unlinked_file(folder_.retention_path("pins/" + name), kPinBytesMax))
            pin->until_s = parse_until(text_of(*bytes));
        else if (bytes.error().code() == ErrorCode::missing)
            continue;  // removed a moment ago
        pins.push_back(*std::move(pin));
    }
    return pins;
}

Result<std::vector<BundleId>> RetentionFolder::list_pinned(std::int64_t now_s) {
    FARDEL_TRY_ASSIGN(const auto pins, list_pins());
    std::vector<BundleId> bundles;
    for (const BundlePin& pin : pins)
        if (!pin.until_s || *pin.until_s > now_s)
            bundles.push_back(pin.bundle);
    return bundles;
}

Status RetentionFolder::write_pin(const BundlePin& pin) const {
    FARDEL_TRY(create_part("pins"));
    const std::string text = pin.until_s ? std::string(kPinStart) + std::to_string(*pin.until_s) + "\n" : "";
    return write_small_file(folder_.retention_path("pins/" + pin.bundle.hex() + "-" + pin.name),
                            std::as_bytes(std::span(text)));
}

Result<bool> RetentionFolder::remove_pin(const BundleId& bundle, const std::string& name) const {
    const std::string path = folder_.retention_path("pins/" + bundle.hex() + "-" + name);
    FARDEL_TRY_ASSIGN(const bool removed, remove_file(path, path));
    FARDEL_TRY(removed ? sync_folder(folder_of_path(path)) : ok());
    return removed;
}

Status RetentionFolder::write_source(const BundleId& bundle, std::string_view source) const {
    FARDEL_TRY(create_part("sources"));
    return write_small_file(folder_.retention_path("sources/" + bundle.hex()),
                            std::as_bytes(std::span(source.substr(0, kSourceBytesMax))));
}

std::string RetentionFolder::source_of(const BundleId& bundle) const {
    const auto bytes = read_unlinked_file(folder_.retention_path("sources/" + bundle.hex()), kSourceBytesMax);
    return bytes ? text_of(*bytes) : std::string();
}

}  // namespace fardel
