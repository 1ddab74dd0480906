// JSON files that earlier runs of the program wrote and a report reads: not trusted, so their size is bounded.
#pragma once

#include <fardel/base/result.h>

#include <cstddef>
#include <string>

namespace fardel {

inline constexpr std::size_t kReportFileBytesMax = std::size_t{1} << 28;

// Errors: those of open_file_source, limit.
Result<std::string> read_report_file(const std::string& path);

}  // namespace fardel
