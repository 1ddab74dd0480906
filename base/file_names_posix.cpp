#include "system_call.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>

#include <stdio.h>
#include <unistd.h>

#include <string>

namespace fardel {
namespace {

Status verify_paths(const FileLocation& from, const FileLocation& to) {
    FARDEL_TRY(verify_path(from));
    return verify_path(to);
}

bool rename_plainly(const FileLocation& from, const FileLocation& to) noexcept {
    return ::renameat(folder_number(from), from.path().c_str(), folder_number(to), to.path().c_str()) == 0;
}

enum class RenameRule { to_new, exchange };

// Returns false and sets errno. EINVAL, ENOSYS: the file system supports only plain renames.
bool rename_with(const FileLocation& from, const FileLocation& to, RenameRule rule) noexcept {
#ifdef RENAME_NOREPLACE
    return ::renameat2(folder_number(from), from.path().c_str(), folder_number(to), to.path().c_str(),
                       rule == RenameRule::exchange ? RENAME_EXCHANGE : RENAME_NOREPLACE) == 0;
#else
    errno = ENOSYS;
    return false;
#endif
}

bool knows_plain_renames_only(int number) noexcept { return number == EINVAL || number == ENOSYS; }

bool exchange_by_steps(const FileLocation& from, const FileLocation& to) {
    const std::string waiting_path = from.path() + ".old";
    const FileLocation waiting =
        from.folder() == nullptr ? FileLocation(waiting_path) : FileLocation(*from.folder(), waiting_path);
    if (!rename_plainly(to, waiting))
        return false;
    if (!rename_plainly(from, to)) {
        const int reason = errno;
        rename_plainly(waiting, to);
        errno = reason;
        return false;
    }
    return rename_plainly(waiting, from);
}

}  // namespace

Status rename_file(const FileLocation& from, const FileLocation& to, std::string_view subject) {
    FARDEL_TRY(verify_paths(from, to));
    return rename_plainly(from, to) ? ok() : Status(system_error(errno, subject));
}

Status rename_own(const std::string& from, const std::string& to) {
    Status renamed = rename_file(from, to, to);
    const std::string folder = folder_of_path(from);
    if (!renamed && renamed.error().code() == ErrorCode::missing && folder == folder_of_path(to) &&
        open_folder(folder, folder))
        return Error(ErrorCode::conflict, to + ": another program removed what was being written; try again");
    return renamed;
}

Status rename_to_new(const FileLocation& from, const FileLocation& to, std::string_view subject) {
    FARDEL_TRY(verify_paths(from, to));
    if (rename_with(from, to, RenameRule::to_new))
        return ok();
    if (!knows_plain_renames_only(errno))
        return system_error(errno, subject);
    if (::linkat(folder_number(from), from.path().c_str(), folder_number(to), to.path().c_str(), 0) != 0 ||
        ::unlinkat(folder_number(from), from.path().c_str(), 0) != 0)
        return system_error(errno, subject);
    return ok();
}

Status exchange_files(const FileLocation& from, const FileLocation& to, std::string_view subject) {
    FARDEL_TRY(verify_paths(from, to));
    if (rename_with(from, to, RenameRule::exchange) || (knows_plain_renames_only(errno) && exchange_by_steps(from, to)))
        return ok();
    return system_error(errno, subject);
}

Result<bool> has_name(const Descriptor& file, const FileLocation& location, std::string_view subject) {
    const auto named = open_file(location, subject, {.links = Links::refused, .waits = false});
    if (!named && (named.error().code() == ErrorCode::missing || named.error().code() == ErrorCode::malformed))
        return false;  // malformed: a link or a socket
    if (!named)
        return named.error();
    FARDEL_TRY_ASSIGN(const FileStatus status, file_status(*named, subject));
    FARDEL_TRY_ASSIGN(const FileStatus opened, file_status(file, subject));
    return status.same_file_as(opened);
}

Result<bool> remove_file(const FileLocation& location, std::string_view subject) {
    FARDEL_TRY(verify_path(location));
    if (::unlinkat(folder_number(location), location.path().c_str(), 0) == 0)
        return true;
    return errno == ENOENT || errno == ENOTDIR ? Result<bool>(false) : Result<bool>(system_error(errno, subject));
}

}  // namespace fardel
