#include <fardel/base/file.h>
#include <fardel/base/folder.h>

namespace fardel {

Status rename_own(const FilePath& from, const FilePath& to) {
    Status renamed = rename_file(from, to, to);
    const FilePath folder = from.folder();
    if (!renamed && renamed.error().code() == ErrorCode::missing && folder.text() == to.folder().text() &&
        open_folder(folder, folder))
        return Error(ErrorCode::conflict, to.text() + ": another program removed what was being written; try again");
    return renamed;
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

}  // namespace fardel
