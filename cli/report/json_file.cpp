#include "json_file.h"

#include <fardel/format/byte_source.h>

#include <span>

namespace fardel {

Result<std::string> read_report_file(const std::string& path) {
    FARDEL_TRY_ASSIGN(const auto source, open_file_source(path));
    if (source->size_bytes() > kReportFileBytesMax)
        return Error(ErrorCode::limit,
                     path + ": more than 256 MiB; no output of fardel that a report reads is so large");
    std::string text(static_cast<std::size_t>(source->size_bytes()), '\0');
    FARDEL_TRY(source->read_at(0, std::as_writable_bytes(std::span(text))));
    return text;
}

}  // namespace fardel
