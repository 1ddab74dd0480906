#include <fardel/base/file.h>
#include <fardel/base/file_status.h>

#include "no_files.h"

namespace fardel {

bool is_written_by_us_alone(const FileStatus&) noexcept { return false; }
Status verify_owner_only(const FileStatus&, std::string_view subject, std::string_view) { return no_files(subject); }
std::string_view file_kind_text(FileKind) noexcept { return "a file"; }
Result<FileStatus> file_status(const Descriptor&, std::string_view subject) { return no_files(subject); }
Result<FileStatus> file_status(const FileLocation&, std::string_view subject, Links) { return no_files(subject); }
Result<std::optional<FileStatus>> find_file_status(const FileLocation&, std::string_view subject, Links) {
    return no_files(subject);
}
bool may_execute(const FileLocation&) { return false; }
Status verify_may_read_and_write(const FileLocation&, std::string_view subject) { return no_files(subject); }
Status set_permissions(const Descriptor&, std::uint32_t, std::string_view subject) { return no_files(subject); }
Status set_permissions(const FileLocation&, std::uint32_t, std::string_view subject) { return no_files(subject); }
Status touch_used_time(const FileLocation&, std::string_view subject) { return no_files(subject); }
Status set_times(const FileLocation&, const FileTimes&, std::string_view subject) { return no_files(subject); }

}  // namespace fardel
