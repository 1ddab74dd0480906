#include <fardel/base/file.h>
#include <fardel/base/fits.h>
#include <fardel/base/folder.h>
#include <fardel/base/random.h>
#include <fardel/base/shared_disk.h>

#include "system_call.h"

#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

namespace fardel {
namespace {

int flags_of(const OpenOptions& options) noexcept {
    constexpr int kAccess[] = {O_RDONLY, O_WRONLY, O_RDWR};
    int flags = O_CLOEXEC | O_NOCTTY | kAccess[static_cast<unsigned char>(options.access)];
    if (options.links == Links::refused)
        flags |= O_NOFOLLOW;
    if (!options.waits)
        flags |= O_NONBLOCK;  // changes nothing for regular files
    if (options.location_only)
        flags |= kLocationOnly;
    return flags;
}

Result<bool> lock_as(int kind, const Descriptor& file, std::string_view subject) {
    // flock succeeds on two computers at once over such file systems, and nothing in its answer shows that
    // (docs/decisions/0107-unseen-locks-count-as-none.md).
    if (const auto type = find_unseen_locks(file))
        return Error(ErrorCode::unsupported,
                     std::string(subject) + ": locks on this file system do not work between computers (" + *type +
                         "); do this on the computer that has the folder, or over a file system with locks",
                     ENOLCK);
    // Never waits in the kernel: callers wait with a bound of their own, and report `busy`.
    if (repeat([&] { return ::flock(file.number(), kind | LOCK_NB); }) == 0)
        return true;
    if (errno == EWOULDBLOCK)
        return false;
    if (errno == ENOLCK || errno == ENOSYS || errno == EOPNOTSUPP)
        return Error(ErrorCode::unsupported, std::string(subject) + ": the file system has no locks", errno);
    return system_error(errno, subject);
}

}  // namespace

Result<Descriptor> open_file(const FileLocation& location, std::string_view subject, const OpenOptions& options) {
    FARDEL_TRY(verify_path(location));
    if (options.keeps_used_time)
        if (const int number = open_existing(location, flags_of(options) | kUsedTimeKept);
            number >= 0 || errno != EPERM)
            return descriptor_of_call(number, subject);
    return descriptor_of_call(open_existing(location, flags_of(options)), subject);
}

Result<Descriptor> create_file(const FileLocation& location, std::string_view subject, std::uint32_t mode) {
    FARDEL_TRY(verify_path(location));
    // Exclusive: whoever plants a link or a file at the path makes this fail, and is never written through.
    constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY;
    return descriptor_of_call(open_or_create(location, kFlags, mode), subject);
}

Result<Descriptor> open_appending(const FileLocation& location, std::string_view subject) {
    FARDEL_TRY(verify_path(location));
    constexpr int kFlags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY;
    return descriptor_of_call(open_or_create(location, kFlags, 0666), subject);
}

Result<Descriptor> create_unnamed_file(std::string_view subject) {
    FARDEL_TRY_ASSIGN(const std::string folder, find_temporary_folder());
    // O_TMPFILE would need no name, but some file systems lack it; the name is gone before anything is written.
    std::uint64_t random = 0;
    fill_random(std::as_writable_bytes(std::span(&random, 1)));
    const std::string name = folder + "/fardel-" + std::to_string(random);
    FARDEL_TRY_ASSIGN(Descriptor file, create_file(name, subject, 0600));
    ::unlink(name.c_str());
    return file;
}

Result<std::size_t> read_some(const Descriptor& file, std::span<std::byte> out, std::string_view subject) {
    const auto count =
        repeat([&] { return ::read(file.number(), out.data(), std::min(out.size(), kTransferBytesMax)); });
    if (count < 0)
        return system_error(errno, subject);
    return static_cast<std::size_t>(count);
}

Result<std::size_t> read_whole_at(const Descriptor& file, std::uint64_t offset, std::span<std::byte> out,
                                  std::string_view subject) {
    std::size_t done = 0;
    // A read may be short before the end of a file, over networks and when signals arrive.
    while (done < out.size()) {
        const auto count = repeat([&] {
            return ::pread(file.number(), out.data() + done, std::min(out.size() - done, kTransferBytesMax),
                           static_cast<off_t>(offset + done));
        });
        if (count < 0)
            return system_error(errno, subject);
        if (count == 0)
            break;
        done += static_cast<std::size_t>(count);
    }
    return done;
}

Status write_whole(const Descriptor& file, std::span<const std::byte> bytes, std::string_view subject) {
    return write_rest(bytes, subject, [&](auto part) { return ::write(file.number(), part.data(), part.size()); });
}

Status write_whole_at(const Descriptor& file, std::uint64_t offset, std::span<const std::byte> bytes,
                      std::string_view subject) {
    const std::byte* const start = bytes.data();
    return write_rest(bytes, subject, [&](auto part) {
        return ::pwrite(file.number(), part.data(), part.size(),
                        static_cast<off_t>(offset) + static_cast<off_t>(part.data() - start));
    });
}

Status resize_file(const Descriptor& file, std::uint64_t size_bytes, std::string_view subject) {
    return status_of_call(repeat([&] { return ::ftruncate(file.number(), static_cast<off_t>(size_bytes)); }), subject);
}

Status sync_file(const Descriptor& file, std::string_view subject) {
    return status_of_call(repeat([&] { return ::fsync(file.number()); }), subject);
}

void prefetch_file(const Descriptor& file, std::uint64_t offset, std::uint64_t length) noexcept {
#ifdef POSIX_FADV_WILLNEED
    ::posix_fadvise(file.number(), static_cast<off_t>(offset), static_cast<off_t>(length), POSIX_FADV_WILLNEED);
#endif
}

Result<std::shared_ptr<const std::byte[]>> map_file(const Descriptor& file, std::uint64_t offset, std::uint64_t length,
                                                    std::string_view subject) {
    const std::uint64_t before = offset % static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    if (!fits(before, length, PTRDIFF_MAX))
        return Error(ErrorCode::limit,
                     std::string(subject) + ": no address space for " + std::to_string(length) + " bytes of it");
    const std::size_t size = in_memory(before + length);
    void* const mapped =
        ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), static_cast<off_t>(offset - before));
    if (mapped == MAP_FAILED)
        return system_error(errno, subject);
    return std::shared_ptr<const std::byte[]>(static_cast<const std::byte*>(mapped) + before,
                                              // The kernel maps whole pages, so the mapping begins before the range
                                              // that the caller sees.
                                              [mapped, size](const std::byte*) { ::munmap(mapped, size); });
}

Result<bool> lock_file(const Descriptor& file, std::string_view subject) { return lock_as(LOCK_EX, file, subject); }

void unlock_file(const Descriptor& file) noexcept { static_cast<void>(::flock(file.number(), LOCK_UN)); }

Result<bool> lock_file_shared(const Descriptor& file, std::string_view subject) {
    return lock_as(LOCK_SH, file, subject);
}

}  // namespace fardel
