#include "output_file.h"

#include <fardel/base/file.h>

#include <fardel/format/staged_file.h>

namespace fardel {

Status write_file(const std::string& path, std::span<const std::byte> bytes) {
    FARDEL_TRY_ASSIGN(const auto file, stage_file(path));
    FARDEL_TRY(file->write_at(0, bytes));
    return file->commit();
}

Status write_file(const std::string& path, std::string_view text) {
    return write_file(path, std::as_bytes(std::span(text)));
}

Status verify_new_file(const std::string& path, std::string_view advice) {
    const auto status = find_file_status(path, path, Links::refused);
    if (!status || *status)
        return Error(ErrorCode::conflict, path + ": already exists" + std::string(advice));
    return ok();
}

}  // namespace fardel
