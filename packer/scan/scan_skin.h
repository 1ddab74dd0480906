// Scans Quake III skins: the shader of each surface of a model.
//
// docs/reference-scanners.md documents what is read. Pure; hostile text.
#pragma once

#include <fardel/base/result.h>
#include <fardel/packer/asset_scan.h>

#include <string_view>

namespace fardel {

// Errors: malformed, limit.
Result<ScanFindings> scan_skin(std::string_view text, const char* asset = nullptr);

}  // namespace fardel
