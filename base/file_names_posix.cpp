#include "system_call.h"

#include <fardel/base/file.h>

#include <stdio.h>
#include <unistd.h>

#include <string>

namespace fardel {
namespace {

Status verify_paths(const FileLocation& from, const FileLocation& to) {
    FARDEL_TRY(verify_path(from));
    return verify_path(to);
}

// Returns what call(folder, name, folder, name) returns.
template <class Call>
int call_at_both(const FileLocation& from, const FileLocation& to, const Call& call) {
    return call_at(from, [&](int old_folder, const char* old_name) {
        return call_at(to, [&](int folder, const char* name) { return call(old_folder, old_name, folder, name); });
    });
}

bool rename_plainly(const FileLocation& from, const FileLocation& to) {
    return call_at_both(from, to, ::renameat) == 0;
}

int unlink(const FileLocation& location) {
    return call_at(location, [](int folder, const char* name) { return ::unlinkat(folder, name, 0); });
}

bool rename_at_once(const FileLocation& from, const FileLocation& to, RenameRule rule) {
    return call_at_both(from, to, [&](int old_folder, const char* old_name, int folder, const char* name) {
               return rename_with(old_folder, old_name, folder, name, rule);
           }) == 0;
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

Status rename_to_new(const FileLocation& from, const FileLocation& to, std::string_view subject) {
    FARDEL_TRY(verify_paths(from, to));
    if (rename_at_once(from, to, RenameRule::to_new))
        return ok();
    if (!knows_plain_renames_only(errno))
        return system_error(errno, subject);
    const auto link = [](int old_folder, const char* old_name, int folder, const char* name) {
        return ::linkat(old_folder, old_name, folder, name, 0);
    };
    if (call_at_both(from, to, link) != 0 || unlink(from) != 0)
        return system_error(errno, subject);
    return ok();
}

Status exchange_files(const FileLocation& from, const FileLocation& to, std::string_view subject) {
    FARDEL_TRY(verify_paths(from, to));
    if (rename_at_once(from, to, RenameRule::exchange) ||
        (knows_plain_renames_only(errno) && exchange_by_steps(from, to)))
        return ok();
    return system_error(errno, subject);
}

Result<bool> remove_file(const FileLocation& location, std::string_view subject) {
    FARDEL_TRY(verify_path(location));
    if (unlink(location) == 0)
        return true;
    return errno == ENOENT || errno == ENOTDIR ? Result<bool>(false) : Result<bool>(system_error(errno, subject));
}

}  // namespace fardel
