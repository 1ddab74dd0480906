// Names that other programs have open.
//
// Since Windows 10 1709, NTFS replaces and removes a file that is open as other systems do. Elsewhere (FAT, shares,
// Wine), the name of an open file cannot be taken over, so the old file is moved aside first, to "<name>.fardel.old-N",
// and is removed when its last reader closes it.

#include "system_call_windows.h"

#include <fardel/base/file.h>

#include <fardel/base/random.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fardel {
namespace {

// Of ntifs.h; beyond the values of the enumeration in winternl.h.
constexpr int kRenameEx = 65;
constexpr ULONG kReplaceIfExists = 0x01;
constexpr ULONG kRenamePosix = 0x02;
constexpr ULONG kRenameIgnoresReadOnly = 0x40;

constexpr auto kSucceeded = static_cast<NTSTATUS>(0);
constexpr auto kNameCollision = static_cast<NTSTATUS>(0xc000'0035);
constexpr auto kAccessDenied = static_cast<NTSTATUS>(0xc000'0022);
constexpr auto kSharingViolation = static_cast<NTSTATUS>(0xc000'0043);

// Whether the file system has only the older form of a call. It says so in many ways; a failure that has another reason
// shows again in the older form.
bool knows_older_form_only(NTSTATUS status) noexcept {
    return status < 0 && status != static_cast<NTSTATUS>(0xc000'0034) && status != static_cast<NTSTATUS>(0xc000'0035);
}

struct RenameInformation {
    ULONG flags;  // the older form has a BOOLEAN here: whether a file is replaced
    HANDLE folder;
    ULONG name_bytes;
    wchar_t name[1];
};

NTSTATUS call_rename(const Descriptor& file, const NtName& to, int kind, ULONG flags) {
    const std::size_t name_bytes = to.name.size() * sizeof(wchar_t);
    std::vector<std::byte> bytes(sizeof(RenameInformation) + name_bytes);
    RenameInformation head{
        .flags = flags, .folder = to.folder, .name_bytes = static_cast<ULONG>(name_bytes), .name = {}};
    std::memcpy(bytes.data(), &head, sizeof head);
    std::memcpy(bytes.data() + offsetof(RenameInformation, name), to.name.data(), name_bytes);
    IO_STATUS_BLOCK done{};
    return ::NtSetInformationFile(handle_of(file), &done, bytes.data(), static_cast<ULONG>(bytes.size()),
                                  static_cast<FILE_INFORMATION_CLASS>(kind));
}

// Opens a name to rename or remove it, whatever it is; a link is not followed.
Result<Descriptor> open_to_change(const FileLocation& location, std::string_view subject, ULONG options = 0) {
    return nt_open(location, subject, {.access = DELETE, .options = options, .opens_link = true});
}

NtName aside_of(const NtName& name) {
    std::uint32_t number = 0;
    fill_random(std::as_writable_bytes(std::span(&number, 1)));
    return {.folder = name.folder, .name = name.name + L".fardel.old-" + std::to_wstring(number), .opened = {}};
}

constexpr int kAttemptsMax = 16;  // as many programs may replace a file at one moment

Error busy(std::string_view subject) {
    return Error(ErrorCode::busy,
                 std::string(subject) +
                     ": another program has the file open and does not let go of it; close that program and try again",
                 EBUSY);
}

Error change_error(NTSTATUS status, std::string_view subject) {
    // The file could be opened to be changed, so it is not its permissions that refuse.
    return status == kAccessDenied || status == kSharingViolation || status == kCannotDelete
               ? busy(subject)
               : system_error(number_of_status(status), subject);
}

// Returns false if another program has put a file under the name between the two steps, or is between them itself.
Result<bool> replace_by_moving_aside(const Descriptor& file, const FileLocation& to, const NtName& to_name,
                                     std::string_view subject) {
    const auto old = open_to_change(to, subject);
    if (!old)
        return old.error().code() == ErrorCode::missing ? Result<bool>(false) : Result<bool>(old.error());
    const NtName aside = aside_of(to_name);
    if (const NTSTATUS moved = call_rename(*old, aside, FileRenameInformation, 0); moved < 0)
        return change_error(moved, subject);
    const NTSTATUS renamed = call_rename(file, to_name, FileRenameInformation, 0);
    if (renamed < 0 && renamed != kNameCollision) {
        call_rename(*old, to_name, FileRenameInformation, 0);
        return change_error(renamed, subject);
    }
    nt_remove_on_close(*old);
    return renamed >= kSucceeded;
}

Status rename_as(const FileLocation& from, const FileLocation& to, ULONG replaces, std::string_view subject) {
    FARDEL_TRY_ASSIGN(const Descriptor file, open_to_change(from, subject));
    FARDEL_TRY_ASSIGN(const NtName name, nt_name(to, subject));
    for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
        NTSTATUS renamed = call_rename(file, name, kRenameEx, replaces | kRenamePosix | kRenameIgnoresReadOnly);
        if (knows_older_form_only(renamed))
            renamed = call_rename(file, name, FileRenameInformation, replaces);
        if (replaces == 0 || (renamed != kAccessDenied && renamed != kSharingViolation && renamed != kCannotDelete))
            return renamed >= kSucceeded ? ok() : Status(change_error(renamed, subject));
        FARDEL_TRY_ASSIGN(const bool replaced, replace_by_moving_aside(file, to, name, subject));
        if (replaced)
            return ok();
    }
    return busy(subject);
}

}  // namespace

Status rename_file(const FileLocation& from, const FileLocation& to, std::string_view subject) {
    return rename_as(from, to, kReplaceIfExists, subject);
}

Status rename_to_new(const FileLocation& from, const FileLocation& to, std::string_view subject) {
    return rename_as(from, to, 0, subject);
}

Status exchange_files(const FileLocation& from, const FileLocation& to, std::string_view subject) {
    const std::string waiting_path = from.path() + ".old";
    const FileLocation waiting =
        from.folder() == nullptr ? FileLocation(waiting_path) : FileLocation(*from.folder(), waiting_path);
    FARDEL_TRY(rename_file(to, waiting, subject));
    if (Status renamed = rename_file(from, to, subject); !renamed) {
        static_cast<void>(rename_file(waiting, to, subject));
        return renamed;
    }
    return rename_file(waiting, from, subject);
}

Result<bool> remove_file(const FileLocation& location, std::string_view subject) {
    const auto file = open_to_change(location, subject, FILE_NON_DIRECTORY_FILE);
    if (!file && file.error().code() == ErrorCode::missing)
        return false;
    if (!file)
        return file.error();
    if (nt_remove(*file) >= kSucceeded)
        return true;
    // Until its last reader closes it, the file would keep its name, and no other could have it.
    FARDEL_TRY_ASSIGN(const NtName name, nt_name(location, subject));
    call_rename(*file, aside_of(name), FileRenameInformation, 0);
    const NTSTATUS removed = nt_remove_on_close(*file);
    return removed >= kSucceeded ? Result<bool>(true) : Result<bool>(change_error(removed, subject));
}

}  // namespace fardel
