#include <fardel/format/lease_folder.h>

#include <fardel/base/clock.h>
#include <fardel/base/file.h>
#include <fardel/base/file_lock.h>
#include <fardel/base/folder.h>
#include <fardel/base/random.h>
#include <fardel/base/shared_disk.h>
#include <fardel/format/fresh_listing.h>

#include <array>
#include <string_view>

namespace fardel {
namespace {

constexpr std::size_t kLeaseBytesMax = 16u << 20;

// 32 hexadecimal digits that nobody else has.
std::string new_lease_name() {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::array<std::byte, 16> number{};
    fill_random(number);
    std::string name;
    for (const std::byte byte : number) {
        name += kDigits[std::to_integer<unsigned>(byte) >> 4];
        name += kDigits[std::to_integer<unsigned>(byte) & 15];
    }
    return name;
}

}  // namespace

FileLease::~FileLease() { static_cast<void>(remove_file(path_, path_)); }

Status FileLease::write(std::span<const std::byte> bytes) const {
    FARDEL_TRY(write_whole_at(file_, 0, bytes, path_));
    return may_be_shared(file_) ? sync_file(file_, path_) : ok();  // other computers see it from now on
}

Result<std::unique_ptr<FileLease>> LeaseFolder::create() const {
    FARDEL_TRY(create_folders_below_root(path_, Lasting::yes));
    FilePath path = path_ / new_lease_name();
    FARDEL_TRY_ASSIGN(Descriptor file, create_lockable_file(path));
    const auto locked = lock_file(file, path);
    // A lease without a lock counts for a day from its last write, which is enough for an addition.
    const bool has_no_locks = !locked && locked.error().code() == ErrorCode::unsupported;
    if (!has_no_locks && (!locked || !*locked)) {
        static_cast<void>(remove_file(path, path));
        return locked ? Error(ErrorCode::busy, path.text() + ": another program has locked it") : locked.error();
    }
    return std::make_unique<FileLease>(std::move(file), std::move(path));
}

Result<std::vector<FoundFileLease>> LeaseFolder::list() const {
    // A network file system may list a folder as it was a minute ago.
    FARDEL_TRY(refresh_listing(path_));
    FARDEL_TRY_ASSIGN(const auto names, list_names_at(path_));
    std::vector<FoundFileLease> leases;
    for (const std::string& name : names) {
        const FilePath path = path_ / name;
        const auto file = open_regular_file(path, path, {.access = FileAccess::read_write, .links = Links::refused});
        if (!file && file.error().code() == ErrorCode::missing)
            continue;  // its writer has finished
        if (!file)
            return file.error();
        FARDEL_TRY_ASSIGN(const bool is_free, lock_file(file->descriptor, path));
        FoundFileLease lease{
            .name = name, .is_locked = !is_free, .renewed = second_of(file->status.modified_ns), .bytes = std::nullopt};
        if (file->status.size_bytes <= kLeaseBytesMax) {
            std::vector<std::byte> bytes(static_cast<std::size_t>(file->status.size_bytes));
            const auto count = read_whole_at(file->descriptor, 0, bytes, path);
            if (!count && was_replaced(count.error()))
                continue;  // likewise
            if (!count)
                return count.error();
            bytes.resize(*count);
            lease.bytes = std::move(bytes);
        }
        leases.push_back(std::move(lease));
    }
    return leases;
}

Status LeaseFolder::remove(const std::string& name) const {
    FARDEL_TRY(remove_file(path_ / name, name));
    return ok();
}

}  // namespace fardel
