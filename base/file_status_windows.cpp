#include "system_call_windows.h"

#include <fardel/base/clock.h>
#include <fardel/base/file.h>
#include <fardel/base/file_status.h>

#include <cstring>

namespace fardel {
namespace {

// 0 leaves a time as it is.
LARGE_INTEGER ticks_of(std::optional<std::int64_t> ns) noexcept {
    LARGE_INTEGER ticks{};
    if (ns)
        ticks.QuadPart = *ns / kNsPerTick + kTicksBefore1970;
    return ticks;
}

// Windows has access lists and no modes. What it opens for this user is as if its owner alone may write to it.
constexpr std::uint32_t kFilePermissions = 0644;
constexpr std::uint32_t kFolderPermissions = 0755;

Status set_both_times(const FileLocation& location, std::optional<std::int64_t> used_ns,
                      std::optional<std::int64_t> modified_ns, std::string_view subject) {
    FARDEL_TRY_ASSIGN(const Descriptor file,
                      nt_open(location, subject, {.access = FILE_WRITE_ATTRIBUTES, .opens_link = true}));
    FILE_BASIC_INFO times{};
    times.LastAccessTime = ticks_of(used_ns);
    times.LastWriteTime = ticks_of(modified_ns);
    return status_of_call(::SetFileInformationByHandle(handle_of(file), FileBasicInfo, &times, sizeof times), subject);
}

}  // namespace

Result<FileStatus> status_of_handle(HANDLE handle, std::string_view subject) {
    FILE_BASIC_INFO basic{};
    FILE_STANDARD_INFO standard{};
    if (const DWORD type = ::GetFileType(handle); type == FILE_TYPE_PIPE || type == FILE_TYPE_CHAR)
        return FileStatus{.kind = type == FILE_TYPE_PIPE ? FileKind::fifo : FileKind::device,
                          .permissions = kFilePermissions,
                          .links = 1};
    if (!::GetFileInformationByHandleEx(handle, FileBasicInfo, &basic, sizeof basic) ||
        !::GetFileInformationByHandleEx(handle, FileStandardInfo, &standard, sizeof standard))
        return last_error(subject);
    const bool is_folder = standard.Directory != 0;
    FileStatus status{.kind = is_folder ? FileKind::folder : FileKind::file,
                      .permissions = is_folder ? kFolderPermissions : kFilePermissions,
                      .links = standard.DeletePending ? 0 : standard.NumberOfLinks,
                      .size_bytes = is_folder ? 0 : static_cast<std::uint64_t>(standard.EndOfFile.QuadPart),
                      .used_ns = file_time_ns(basic.LastAccessTime.QuadPart),
                      .modified_ns = file_time_ns(basic.LastWriteTime.QuadPart),
                      .changed_ns = file_time_ns(basic.ChangeTime.QuadPart)};
    FILE_ATTRIBUTE_TAG_INFO tag{};
    if ((basic.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 &&
        ::GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &tag, sizeof tag) &&
        IsReparseTagNameSurrogate(tag.ReparseTag))
        status.kind = FileKind::link;
    // ReFS has ids of 128 bits; NTFS fills the lower half.
    FILE_ID_INFO id{};
    BY_HANDLE_FILE_INFORMATION older{};
    if (::GetFileInformationByHandleEx(handle, FileIdInfo, &id, sizeof id)) {
        std::uint64_t halves[2];
        static_assert(sizeof halves == sizeof id.FileId);
        std::memcpy(halves, &id.FileId, sizeof halves);
        status.device = id.VolumeSerialNumber;
        status.inode = halves[0] ^ halves[1];
    } else if (::GetFileInformationByHandle(handle, &older)) {  // FAT
        status.device = older.dwVolumeSerialNumber;
        status.inode = std::uint64_t{older.nFileIndexHigh} << 32 | older.nFileIndexLow;
    }
    return status;
}

bool is_written_by_us_alone(const FileStatus& status) noexcept {
    return status.permissions == kFilePermissions || status.permissions == kFolderPermissions;
}

// What an access list grants is not judged: the folders of a user are closed to other users from the start.
Status verify_owner_only(const FileStatus&, std::string_view, std::string_view) { return ok(); }

Result<FileStatus> file_status(const Descriptor& file, std::string_view subject) {
    if (!file)
        return system_error(EBADF, subject);
    return status_of_handle(handle_of(file), subject);
}

Result<FileStatus> file_status(const FileLocation& location, std::string_view subject, Links links) {
    FARDEL_TRY_ASSIGN(const Descriptor file, nt_open(location, subject, {.opens_link = links == Links::refused}));
    return status_of_handle(handle_of(file), subject);
}

Result<std::optional<FileStatus>> find_file_status(const FileLocation& location, std::string_view subject,
                                                   Links links) {
    auto status = file_status(location, subject, links);
    if (status)
        return std::optional(*status);
    if (status.error().code() == ErrorCode::missing)
        return std::optional<FileStatus>();
    return std::move(status).error();
}

bool may_execute(const FileLocation& location) {
    return static_cast<bool>(nt_open(location, {}, {.access = FILE_EXECUTE}));
}

Status verify_may_read_and_write(const FileLocation& location, std::string_view subject) {
    FARDEL_TRY_ASSIGN(const FileStatus status, file_status(location, subject));
    const ACCESS_MASK access = status.is_folder() ? FILE_LIST_DIRECTORY | FILE_ADD_FILE : GENERIC_READ | GENERIC_WRITE;
    FARDEL_TRY(nt_open(location, subject, {.access = access}));
    return ok();
}

// There are no modes to set. The attribute "read-only" is not one: it would keep our own programs from removing a file.
Status set_permissions(const Descriptor& file, std::uint32_t, std::string_view subject) {
    return file ? ok() : Status(system_error(EBADF, subject));
}

Status set_permissions(const FileLocation& location, std::uint32_t, std::string_view subject) {
    FARDEL_TRY(file_status(location, subject));
    return ok();
}

Status touch_used_time(const FileLocation& location, std::string_view subject) {
    return set_both_times(location, wall_clock_ns(), std::nullopt, subject);
}

Status set_times(const FileLocation& location, const FileTimes& times, std::string_view subject) {
    return set_both_times(location, times.used_ns, times.modified_ns, subject);
}

}  // namespace fardel
