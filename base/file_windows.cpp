#include <fardel/base/file.h>

#include "console_windows.h"
#include "system_call_windows.h"

#include <fardel/base/folder.h>
#include <fardel/base/random.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kTransferBytesMax = std::size_t{1} << 30;

ACCESS_MASK access_of(const OpenOptions& options) noexcept {
    constexpr ACCESS_MASK kAccess[] = {GENERIC_READ, GENERIC_WRITE, GENERIC_READ | GENERIC_WRITE};
    return options.location_only ? FILE_READ_ATTRIBUTES : kAccess[static_cast<unsigned char>(options.access)];
}

// The event by which the calling thread waits for its own read or write. Windows runs one read at a time for each
// handle that is not overlapped, so all threads that read a bundle would wait for each other.
HANDLE thread_event() noexcept {
    struct Event {
        HANDLE handle = ::CreateEventW(nullptr, TRUE, FALSE, nullptr);
        Event() = default;
        Event(const Event&) = delete;
        Event& operator=(const Event&) = delete;
        ~Event() { ::CloseHandle(handle); }
    };
    thread_local const Event event;
    return event.handle;
}

// Calls ReadFile or WriteFile at an offset, and returns the failure; `count`: the transferred bytes.
template <class Call, class Bytes>
DWORD transfer_at(const Call& call, HANDLE file, Bytes* bytes, std::size_t size_bytes, std::uint64_t offset,
                  DWORD& count) noexcept {
    OVERLAPPED where{};
    where.Offset = static_cast<DWORD>(offset);
    where.OffsetHigh = static_cast<DWORD>(offset >> 32);
    where.hEvent = thread_event();
    count = 0;
    if (where.hEvent == nullptr)  // waiting for the file instead would end with another thread's read
        return ERROR_NO_SYSTEM_RESOURCES;
    if (!call(file, bytes, static_cast<DWORD>(std::min(size_bytes, kTransferBytesMax)), nullptr, &where) &&
        ::GetLastError() != ERROR_IO_PENDING)
        return ::GetLastError();
    return ::GetOverlappedResult(file, &where, &count, TRUE) ? DWORD{ERROR_SUCCESS} : ::GetLastError();
}

bool is_end(DWORD failure) noexcept { return failure == ERROR_HANDLE_EOF || failure == ERROR_BROKEN_PIPE; }

Error read_error(const Descriptor& file, DWORD failure, std::string_view subject) {
    // Other systems say so when it is read, not that the function is invalid.
    if (failure == ERROR_INVALID_FUNCTION || failure == ERROR_INVALID_PARAMETER)
        if (const auto status = file_status(file, subject); status && status->is_folder())
            return system_error(EISDIR, subject);
    return failure_error(failure, subject);
}

// Beyond the end of every file: other programs cannot read bytes that are locked.
constexpr std::uint64_t kLockedOffset = 0x7fff'ffff'ffff'0000;

OVERLAPPED locked_range() noexcept {
    OVERLAPPED range{};
    range.Offset = static_cast<DWORD>(kLockedOffset);
    range.OffsetHigh = static_cast<DWORD>(kLockedOffset >> 32);
    return range;
}

Result<bool> lock_as(DWORD kind, const Descriptor& file, std::string_view subject) {
    OVERLAPPED range = locked_range();
    range.hEvent = thread_event();
    // Never waits in the kernel: callers wait with a bound of their own, and report `busy`.
    if (::LockFileEx(handle_of(file), kind | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &range))
        return true;
    DWORD failure = ::GetLastError();
    DWORD unused = 0;
    if (failure == ERROR_IO_PENDING && ::GetOverlappedResult(handle_of(file), &range, &unused, TRUE))
        return true;
    if (failure == ERROR_IO_PENDING)
        failure = ::GetLastError();
    if (failure == ERROR_LOCK_VIOLATION)
        return false;
    if (failure == ERROR_NOT_SUPPORTED || failure == ERROR_INVALID_FUNCTION)
        return Error(ErrorCode::unsupported, std::string(subject) + ": the file system has no locks", ENOLCK);
    return failure_error(failure, subject);
}

}  // namespace

Result<Descriptor> open_file(const FileLocation& location, std::string_view subject, const OpenOptions& options) {
    const bool writes = options.access != FileAccess::read && !options.location_only;
    return nt_open(location, subject,
                   {.access = access_of(options),
                    .options = ULONG{writes ? FILE_NON_DIRECTORY_FILE : 0u},
                    .links = options.links,
                    .is_overlapped = true});
}

Result<Descriptor> create_file(const FileLocation& location, std::string_view subject, std::uint32_t) {
    return nt_open(location, subject,
                   {.access = GENERIC_READ | GENERIC_WRITE,
                    .disposition = FILE_CREATE,
                    .options = FILE_NON_DIRECTORY_FILE,
                    .is_overlapped = true});
}

Result<Descriptor> open_appending(const FileLocation& location, std::string_view subject) {
    // Without the right to write elsewhere, every write goes to the end.
    return nt_open(location, subject,
                   {.access = FILE_APPEND_DATA, .disposition = FILE_OPEN_IF, .options = FILE_NON_DIRECTORY_FILE});
}

Result<Descriptor> create_unnamed_file(std::string_view subject) {
    FARDEL_TRY_ASSIGN(const std::string folder, find_temporary_folder());
    std::uint64_t number = 0;
    fill_random(std::as_writable_bytes(std::span(&number, 1)));
    const std::string path = folder + "/fardel-" + std::to_string(number);
    return nt_open(path, subject,
                   {.access = GENERIC_READ | GENERIC_WRITE | DELETE,
                    .disposition = FILE_CREATE,
                    .options = FILE_NON_DIRECTORY_FILE | FILE_DELETE_ON_CLOSE,
                    .attributes = FILE_ATTRIBUTE_TEMPORARY,
                    .is_overlapped = true});
}

Result<std::size_t> read_some(const Descriptor& file, std::span<std::byte> out, std::string_view subject) {
    if (out.empty())
        return std::size_t{0};
    DWORD count = 0;
    DWORD failure = ERROR_SUCCESS;
    if (file.kind() == Descriptor::Kind::overlapped_file) {
        failure = transfer_at(::ReadFile, handle_of(file), out.data(), out.size(), file.position(), count);
        file.position() += count;
    } else if (is_console(file)) {
        return read_console(file, out, subject);
    } else if (!::ReadFile(handle_of(file), out.data(), static_cast<DWORD>(std::min(out.size(), kTransferBytesMax)),
                           &count, nullptr)) {
        failure = ::GetLastError();
        if (failure == ERROR_NO_DATA)  // a pipe that does not wait
            return system_error(EAGAIN, subject);
    }
    if (failure != ERROR_SUCCESS && !is_end(failure))
        return read_error(file, failure, subject);
    return static_cast<std::size_t>(count);
}

Result<std::size_t> read_whole_at(const Descriptor& file, std::uint64_t offset, std::span<std::byte> out,
                                  std::string_view subject) {
    std::size_t done = 0;
    while (done < out.size()) {
        DWORD count = 0;
        const DWORD failure =
            transfer_at(::ReadFile, handle_of(file), out.data() + done, out.size() - done, offset + done, count);
        if (failure != ERROR_SUCCESS && !is_end(failure))
            return read_error(file, failure, subject);
        if (count == 0)
            break;
        done += count;
    }
    return done;
}

Status write_whole(const Descriptor& file, std::span<const std::byte> bytes, std::string_view subject) {
    if (file.kind() == Descriptor::Kind::overlapped_file) {
        FARDEL_TRY(write_whole_at(file, file.position(), bytes, subject));
        file.position() += bytes.size();
        return ok();
    }
    if (is_console(file))
        return write_console(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, subject);
    while (!bytes.empty()) {
        DWORD count = 0;
        if (!::WriteFile(handle_of(file), bytes.data(), static_cast<DWORD>(std::min(bytes.size(), kTransferBytesMax)),
                         &count, nullptr))
            return last_error(subject);
        bytes = bytes.subspan(count);
    }
    return ok();
}

Status write_whole_at(const Descriptor& file, std::uint64_t offset, std::span<const std::byte> bytes,
                      std::string_view subject) {
    while (!bytes.empty()) {
        DWORD count = 0;
        const DWORD failure = transfer_at(::WriteFile, handle_of(file), bytes.data(), bytes.size(), offset, count);
        if (failure != ERROR_SUCCESS)
            return failure_error(failure, subject);
        bytes = bytes.subspan(count);
        offset += count;
    }
    return ok();
}

Status resize_file(const Descriptor& file, std::uint64_t size_bytes, std::string_view subject) {
    FILE_END_OF_FILE_INFO end{};
    end.EndOfFile.QuadPart = static_cast<LONGLONG>(size_bytes);
    return status_of_call(::SetFileInformationByHandle(handle_of(file), FileEndOfFileInfo, &end, sizeof end), subject);
}

Status sync_file(const Descriptor& file, std::string_view subject) {
    return status_of_call(::FlushFileBuffers(handle_of(file)), subject);
}

// It reads ahead by itself, and the call for mapped memory would need a mapping.
void prefetch_file(const Descriptor&, std::uint64_t, std::uint64_t) noexcept {}

Result<std::shared_ptr<const std::byte[]>> map_file(const Descriptor& file, std::uint64_t offset, std::uint64_t length,
                                                    std::string_view subject) {
    SYSTEM_INFO system;
    ::GetSystemInfo(&system);
    const std::uint64_t before = offset % system.dwAllocationGranularity;  // 64 KiB, and not the size of a page
    const std::uint64_t from = offset - before;
    const Descriptor mapping =
        descriptor_from(::CreateFileMappingW(handle_of(file), nullptr, PAGE_READONLY, 0, 0, nullptr));
    if (!mapping)
        return last_error(subject);
    void* const mapped = ::MapViewOfFile(handle_of(mapping), FILE_MAP_READ, static_cast<DWORD>(from >> 32),
                                         static_cast<DWORD>(from), static_cast<SIZE_T>(before + length));
    if (mapped == nullptr)
        return last_error(subject);
    return std::shared_ptr<const std::byte[]>(static_cast<const std::byte*>(mapped) + before,
                                              [mapped](const std::byte*) { ::UnmapViewOfFile(mapped); });
}

Result<bool> lock_file(const Descriptor& file, std::string_view subject) {
    return lock_as(LOCKFILE_EXCLUSIVE_LOCK, file, subject);
}

Result<bool> lock_file_shared(const Descriptor& file, std::string_view subject) { return lock_as(0, file, subject); }

void unlock_file(const Descriptor& file) noexcept {
    OVERLAPPED range = locked_range();
    range.hEvent = thread_event();
    DWORD unused = 0;
    if (!::UnlockFileEx(handle_of(file), 0, 1, 0, &range) && ::GetLastError() == ERROR_IO_PENDING)
        ::GetOverlappedResult(handle_of(file), &range, &unused, TRUE);
}

}  // namespace fardel
