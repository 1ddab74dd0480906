// Scans sources of maps (.map): the shader of each face and patch, and what entities name.
//
// docs/reference-scanners.md documents what is read. Pure; hostile text.
#pragma once

#include <fardel/base/result.h>
#include <fardel/packer/asset_scan.h>

#include <string_view>

namespace fardel {

// Errors: malformed, limit.
Result<ScanFindings> scan_map_source(std::string_view text, const char* asset = nullptr);

}  // namespace fardel
