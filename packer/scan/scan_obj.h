// Scans Wavefront OBJ and its material libraries (MTL): libraries, textures, further objects.
//
// docs/reference-scanners.md documents what is read. Pure; hostile text.
#pragma once

#include <fardel/base/result.h>
#include <fardel/packer/asset_scan.h>

#include <string_view>

namespace fardel {

// Errors: limit.
Result<ScanFindings> scan_obj(std::string_view text, const char* asset = nullptr);
Result<ScanFindings> scan_mtl(std::string_view text, const char* asset = nullptr);

}  // namespace fardel
