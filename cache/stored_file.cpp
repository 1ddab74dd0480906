#include "stored_file.h"

#include <fardel/base/file.h>
#include <fardel/format/file_source.h>

#include <utility>

namespace fardel {

Result<std::shared_ptr<const ByteSource>> open_stored_file(const FilePath& path) {
    FARDEL_TRY_ASSIGN(Descriptor file, open_file(path, path, {.links = Links::refused, .keeps_used_time = true}));
    FARDEL_TRY_ASSIGN(const FileStatus status, file_status(file, path));
    if (!status.is_file())
        return Error(ErrorCode::missing, path.text() + ": not a regular file");
    return make_file_source(std::move(file), status.size_bytes, path.text());
}

bool is_stored_absence(const Error& error) {
    return error.code() == ErrorCode::missing || error.code() == ErrorCode::malformed;
}

}  // namespace fardel
