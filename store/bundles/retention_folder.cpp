#include "bundles/retention_folder.h"

#include <fardel/base/ascii.h>
#include <fardel/base/clock.h>
#include <fardel/base/file.h>
#include <fardel/base/file_lock.h>
#include <fardel/base/folder.h>
#include <fardel/base/shared_disk.h>
#include <fardel/format/envelope.h>
#include <fardel/format/fresh_listing.h>
#include <fardel/format/hash.h>
#include <fardel/format/limits.h>
#include <fardel/format/whole_file.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <thread>

namespace fardel {
namespace {

constexpr int kUseLocksTried = 100;
constexpr int kCondemnedTried = 20;
constexpr auto kCondemnedPause = std::chrono::milliseconds(100);
constexpr std::size_t kLicenseBytesMax = 16u << 10;
constexpr std::size_t kPinBytesMax = 64;
constexpr std::size_t kSpareBytes = 8u << 10;  // a list of 190 marks
constexpr std::size_t kSourceBytesMax = 2048;
constexpr std::size_t kBundleDigits = 64;
constexpr std::string_view kPinStart = "until ";

class LeaseOnDisk final : public LeaseFile {
public:
    explicit LeaseOnDisk(std::unique_ptr<FileLease> lease) : lease_(std::move(lease)) {}
    Status write(const LeasedIds& ids) override { return lease_->write(encode_lease(ids)); }

private:
    const std::unique_ptr<FileLease> lease_;
};

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
    return BundlePin{.bundle = *bundle, .name = std::string(given), .until = std::nullopt};
}

std::optional<UnixTime> parse_until(std::string_view text) {
    if (!text.starts_with(kPinStart) || !text.ends_with('\n'))
        return std::nullopt;
    text.remove_prefix(kPinStart.size());
    text.remove_suffix(1);
    UnixTime until;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), until.seconds);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(until) : std::nullopt;
}

}  // namespace

// ---- The lock -------------------------------------------------------------------------------------------------------

Status RetentionFolder::create_part(const char* name) const {
    return create_folders_below_root(folder_.retention_path(name), Lasting::yes);
}

// ---- Room for making room -------------------------------------------------------------------------------------------

// Best effort.
void RetentionFolder::keep_spare() const {
    const FilePath path = folder_.retention_path("spare");
    const auto there = find_file_status(path, path, Links::refused);
    if (there && !*there && create_folders_below_root(path.folder(), Lasting::yes))
        static_cast<void>(write_small_file(path, std::vector<std::byte>(kSpareBytes, std::byte{'.'})));
}

bool RetentionFolder::give_up_spare() const {
    const FilePath spare = folder_.retention_path("spare");
    const auto removed = remove_file(spare, spare);
    bool has_removed = removed && *removed;
    // The block index as well: it only saves time, and whoever adds a bundle writes it again.
    if (const auto names = list_names_at(folder_.index_path()))
        for (const std::string& name : *names) {
            const FilePath path = folder_.index_path() / name;
            const auto one = name.ends_with(".blocks") ? remove_file(path, path) : Result<bool>(false);
            has_removed |= one && *one;
        }
    return has_removed;
}

template <class Write>
auto RetentionFolder::write_somehow(Write write) const {
    auto written = write();
    const bool is_full = !written && written.error().code() == ErrorCode::no_space;
    if (is_full && give_up_spare())
        return write();
    return written;
}

Result<std::unique_ptr<DiskHold>> RetentionFolder::lock() {
    const FilePath path = folder_.retention_path("lock");
    FARDEL_TRY_ASSIGN(Descriptor file, write_somehow([&] { return open_lock_file(path); }));
    return wait_for_lock(std::move(file), path, LockSharing::alone);
}

// ---- Leases ---------------------------------------------------------------------------------------------------------

Result<std::unique_ptr<LeaseFile>> RetentionFolder::create_lease() {
    FARDEL_TRY_ASSIGN(auto lease, leases().create());
    return std::unique_ptr<LeaseFile>(std::make_unique<LeaseOnDisk>(std::move(lease)));
}

Result<std::vector<FoundLease>> RetentionFolder::list_leases() {
    FARDEL_TRY_ASSIGN(const auto files, leases().list());
    std::vector<FoundLease> found;
    for (const FoundFileLease& file : files)
        found.push_back({.name = file.name,
                         .is_locked = file.is_locked,
                         .renewed = file.renewed,
                         .ids = file.bytes ? decode_lease(*file.bytes) : std::nullopt});
    return found;
}

// ---- Records and packs ----------------------------------------------------------------------------------------------

Result<std::vector<BundleId>> RetentionFolder::list_records() {
    FARDEL_TRY(refresh_listing(folder_.part_path("bundles")));
    return folder_.list_records();
}

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
    FARDEL_TRY(refresh_listing(folder_.part_path("packs")));
    FARDEL_TRY_ASSIGN(const auto stored, folder_.list_packs());
    std::vector<PackOnDisk> packs;
    for (const StorePack& pack : stored)
        packs.push_back({.id = pack.id, .size_bytes = pack.size_bytes});
    // What is elsewhere costs nothing here.
    FARDEL_TRY_ASSIGN(const auto referred, folder_.list_references());
    for (const StorePack& pack : referred)
        packs.push_back({.id = pack.id, .size_bytes = 0});
    return packs;
}

Result<bool> RetentionFolder::has_pack(const Hash& pack) {
    const FilePath path = folder_.pack_path(pack);
    // Its status may be an old one on a network file system.
    const auto opened = open_regular_file(path, path, {.links = Links::refused});
    if (opened)
        return true;
    if (opened.error().code() != ErrorCode::missing && opened.error().code() != ErrorCode::malformed)
        return opened.error();
    FARDEL_TRY_ASSIGN(const auto reference, folder_.find_reference(pack));
    return reference.has_value();
}

Status RetentionFolder::remove_pack(const Hash& pack) {
    const FilePath path = folder_.pack_path(pack);
    FARDEL_TRY(remove_file(path, path));
    FARDEL_TRY(folder_.remove_reference(pack));
    return ok();
}

// ---- What is condemned ----------------------------------------------------------------------------------------------

Result<CondemnedList> RetentionFolder::read_condemned() {
    for (int tried = 1;; ++tried) {
        const auto bytes = read_unlinked_file(folder_.retention_path("condemned"), kCondemnedBytesMax);
        if (!bytes && bytes.error().code() == ErrorCode::missing)
            return CondemnedList();
        if (!bytes)
            return bytes.error();
        auto list = decode_condemned_list(*bytes);
        if (list || list.error().code() == ErrorCode::unsupported)
            return list;
        const FilePath retention = folder_.part_path("retention");
        FARDEL_TRY_ASSIGN(const Descriptor opened, open_folder(retention, retention));
        if (tried == kCondemnedTried || !may_be_shared(opened))
            return CondemnedList();
        std::this_thread::sleep_for(kCondemnedPause);  // the size of an older list may have cut it
    }
}

Status RetentionFolder::replace_condemned(const CondemnedList& list) {
    // On a full disk, too: it is the first step of what makes room there.
    const auto bytes = encode_condemned_list(list);
    return write_somehow([&] { return write_small_file(folder_.retention_path("condemned"), bytes); });
}

// ---- Uses -----------------------------------------------------------------------------------------------------------

Result<std::unique_ptr<DiskHold>> RetentionFolder::open_use(const BundleId& bundle) {
    const FilePath path = use_path(bundle);
    for (int tried = 0; tried < kUseLocksTried; ++tried) {
        FARDEL_TRY_ASSIGN(Descriptor file, open_lock_file(path));
        const auto locked = lock_file_shared(file, path);
        if (locked && !*locked)
            return std::unique_ptr<DiskHold>();
        FARDEL_TRY_ASSIGN(const bool is_there, has_name(file, path, path));
        if (!is_there)
            continue;  // a collection removed it a moment ago
        FARDEL_TRY(touch_used_time(path, path));
        return hold_locked(std::move(file));
    }
    return std::unique_ptr<DiskHold>();
}

Result<std::unique_ptr<DiskHold>> RetentionFolder::claim_use(const BundleId& bundle) {
    const FilePath path = use_path(bundle);
    FARDEL_TRY_ASSIGN(const auto before, find_file_status(path, path, Links::refused));
    FARDEL_TRY_ASSIGN(Descriptor file, write_somehow([&] { return open_lock_file(path); }));
    FARDEL_TRY_ASSIGN(const bool locked, lock_file(file, path));
    if (!locked)
        return std::unique_ptr<DiskHold>();
    if (!before)  // a claim is no use
        FARDEL_TRY(set_times(path, {.used_ns = 0, .modified_ns = std::nullopt}, path));
    return hold_locked(std::move(file));
}

Status RetentionFolder::forget_use(const BundleId& bundle) {
    for (const FilePath& path : {use_path(bundle), folder_.retention_path("sources/" + bundle.hex())})
        FARDEL_TRY(remove_file(path, path));
    return ok();
}

Result<UnixTime> RetentionFolder::last_use(const BundleId& bundle) const {
    const FilePath path = use_path(bundle);
    FARDEL_TRY_ASSIGN(const auto added_ns, folder_.find_record_time(bundle));
    FARDEL_TRY_ASSIGN(const auto used, find_file_status(path, path, Links::refused));
    return second_of(std::max(added_ns.value_or(0), used ? used->used_ns : 0));
}

// ---- Pins and sources -----------------------------------------------------------------------------------------------

Result<std::vector<BundlePin>> RetentionFolder::list_pins() const {
    FARDEL_TRY_ASSIGN(const auto names, list_names_at(folder_.retention_path("pins")));
    std::vector<BundlePin> pins;
    for (const std::string& name : names) {
        auto pin = pin_of_name(name);
        if (!pin)
            continue;
        if (const auto bytes = read_unlinked_file(folder_.retention_path("pins/" + name), kPinBytesMax))
            pin->until = parse_until(text_of(*bytes));
        else if (bytes.error().code() == ErrorCode::missing)
            continue;  // removed a moment ago
        pins.push_back(*std::move(pin));
    }
    return pins;
}

Result<std::vector<BundleId>> RetentionFolder::list_pinned(UnixTime now) {
    FARDEL_TRY(refresh_listing(folder_.retention_path("pins")));
    FARDEL_TRY_ASSIGN(const auto pins, list_pins());
    std::vector<BundleId> bundles;
    for (const BundlePin& pin : pins)
        if (!has_passed(pin.until, now) && !unpinned_.contains(pin.bundle))
            bundles.push_back(pin.bundle);
    return bundles;
}

Status RetentionFolder::write_pin(const BundlePin& pin) const {
    FARDEL_TRY(create_part("pins"));
    const std::string text = pin.until ? std::string(kPinStart) + std::to_string(pin.until->seconds) + "\n" : "";
    return write_small_file(folder_.retention_path("pins/" + pin.bundle.hex() + "-" + pin.name),
                            std::as_bytes(std::span(text)));
}

Result<bool> RetentionFolder::remove_pin(const BundleId& bundle, const std::string& name) const {
    const FilePath path = folder_.retention_path("pins/" + bundle.hex() + "-" + name);
    FARDEL_TRY_ASSIGN(const bool removed, remove_file(path, path));
    FARDEL_TRY(removed ? sync_folder(path.folder()) : ok());
    return removed;
}

// ---- Licences -------------------------------------------------------------------------------------------------------

Status RetentionFolder::refresh_licenses() const { return refresh_listing(folder_.retention_path("licenses")); }

Result<FilePath> RetentionFolder::license_path(const Envelope& token) const {
    FARDEL_TRY_ASSIGN(const auto bytes, encode_envelope(token));
    return folder_.retention_path("licenses/" + blake3(bytes).hex());
}

Result<std::vector<Envelope>> RetentionFolder::list_licenses() const {
    const FilePath folder = folder_.retention_path("licenses");
    FARDEL_TRY_ASSIGN(const auto names, list_names_at(folder));
    std::vector<Envelope> tokens;
    for (const std::string& name : names) {
        if (!Hash::parse(name) || tokens.size() == limits::kLicenseTokensMax)
            continue;
        const auto bytes = read_unlinked_file(folder / name, kLicenseBytesMax);
        if (!bytes)
            continue;
        if (auto token = parse_license_token(*bytes))
            tokens.push_back(*std::move(token));
    }
    return tokens;
}

Status RetentionFolder::write_license(const Envelope& token) const {
    FARDEL_TRY(create_part("licenses"));
    FARDEL_TRY_ASSIGN(const auto there, list_licenses());
    if (there.size() >= limits::kLicenseTokensMax)
        return Error(ErrorCode::limit, folder_.path() + ": more than " + std::to_string(limits::kLicenseTokensMax) +
                                           " license tokens; 'fardel store gc' removes those that have ended");
    FARDEL_TRY_ASSIGN(const FilePath path, license_path(token));
    FARDEL_TRY_ASSIGN(const auto bytes, encode_envelope(token));
    return write_small_file(path, bytes);
}

Status RetentionFolder::remove_license(const Envelope& token) const {
    FARDEL_TRY_ASSIGN(const FilePath path, license_path(token));
    FARDEL_TRY(remove_file(path, path));
    return ok();
}

// ---- Sources --------------------------------------------------------------------------------------------------------

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
