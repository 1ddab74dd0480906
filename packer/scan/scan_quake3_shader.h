// Scans Quake III shader scripts: what each shader's stages, sky and tools name, and which shaders the file defines.
//
// docs/reference-scanners.md documents what is read. Pure; hostile text.
#pragma once

#include <fardel/base/result.h>
#include <fardel/packer/asset_scan.h>

#include <string_view>

namespace fardel {

// Errors: malformed, limit.
Result<ScanFindings> scan_quake3_shader(std::string_view text, const char* asset = nullptr);

}  // namespace fardel
