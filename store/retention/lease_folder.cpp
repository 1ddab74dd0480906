#include "retention/lease_folder.h"

#include "retention/file_lock.h"
#include "retention/fresh_listing.h"

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>
#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/base/shared_disk.h>
#include <fardel/format/ids.h>
#include <fardel/format/random.h>

#include <cstdint>
#include <string_view>

namespace fardel {
namespace {

constexpr std::size_t kLeaseBytesMax = 16u << 20;
constexpr std::size_t kLeaseDigits = 32;
constexpr std::string_view kLeaseMagic = "FARDELSL";
constexpr std::int64_t kLeaseNsPerSecond = 1'000'000'000;

class LeaseOnDisk final : public LeaseFile {
public:
    LeaseOnDisk(Descriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
    ~LeaseOnDisk() override { static_cast<void>(remove_file(path_, path_)); }
    LeaseOnDisk(const LeaseOnDisk&) = delete;
    LeaseOnDisk& operator=(const LeaseOnDisk&) = delete;

    Status write(const LeasedIds& ids) override {
        FARDEL_TRY(write_whole_at(file_, 0, encode_lease(ids), path_));
        return may_be_shared(file_) ? sync_file(file_, path_) : ok();  // other computers see it from now on
    }

private:
    const Descriptor file_;  // locked, where there are locks
    const std::string path_;
};

}  // namespace

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
        return ids;
    ByteReader reader(bytes, "lease");
    const bool is_lease = reader.text(kLeaseMagic.size()) == kLeaseMagic;
    const std::uint64_t bundles = reader.u32();
    const std::uint64_t packs = reader.u32();
    if (!is_lease || reader.failed() || reader.rest_bytes() != (bundles + packs) * sizeof(Hash))
        return std::nullopt;
    for (std::uint64_t i = 0; i < bundles; ++i)
        ids.bundles.push_back(reader.fixed<BundleId>());
    for (std::uint64_t i = 0; i < packs; ++i)
        ids.packs.push_back(reader.fixed<Hash>());
    return ids;
}

Result<std::unique_ptr<LeaseFile>> LeaseFolder::create() const {
    FARDEL_TRY(create_folders_below(root_, path_, Lasting::yes));
    Hash number;
    fill_random(std::as_writable_bytes(std::span(number.bytes)));
    std::string path = path_of(number.hex().substr(0, kLeaseDigits));
    FARDEL_TRY_ASSIGN(Descriptor file, create_file(path, path));
    const auto locked = lock_file(file, path);
    // A lease without a lock counts for a day from its last write, which is enough for an addition.
    const bool has_no_locks = !locked && locked.error().code() == ErrorCode::unsupported;
    if (!has_no_locks && (!locked || !*locked)) {
        static_cast<void>(remove_file(path, path));
        return locked ? Error(ErrorCode::busy, path + ": another program has locked it") : locked.error();
    }
    return std::unique_ptr<LeaseFile>(new LeaseOnDisk(std::move(file), std::move(path)));
}

Result<std::vector<FoundLease>> LeaseFolder::list() const {
    // A network file system may list a folder as it was a minute ago.
    FARDEL_TRY(refresh_listing(root_, path_));
    FARDEL_TRY_ASSIGN(const auto names, list_names_at(path_));
    std::vector<FoundLease> leases;
    for (const std::string& name : names) {
        const std::string path = path_of(name);
        const auto file = open_regular_file(path, path, {.access = FileAccess::read_write, .links = Links::refused});
        if (!file && file.error().code() == ErrorCode::missing)
            continue;  // its writer has finished
        if (!file)
            return file.error();
        FARDEL_TRY_ASSIGN(const bool is_free, lock_file(file->descriptor, path));
        FoundLease lease{.name = name,
                         .is_locked = !is_free,
                         .renewed_s = file->status.modified_ns / kLeaseNsPerSecond,
                         .ids = std::nullopt};
        if (file->status.size_bytes <= kLeaseBytesMax) {
            std::vector<std::byte> bytes(static_cast<std::size_t>(file->status.size_bytes));
            const auto count = read_whole_at(file->descriptor, 0, bytes, path);
            if (!count && was_replaced(count.error()))
                continue;  // likewise
            if (!count)
                return count.error();
            bytes.resize(*count);
            lease.ids = decode_lease(bytes);
        }
        leases.push_back(std::move(lease));
    }
    return leases;
}

Status LeaseFolder::remove(const std::string& name) const {
    FARDEL_TRY(remove_file(path_of(name), path_of(name)));
    return ok();
}

}  // namespace fardel
