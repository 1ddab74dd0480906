// Scans MD3 models: the shaders of each surface.
//
// docs/reference-scanners.md documents what is read. Pure; hostile bytes.
#pragma once

#include <fardel/base/result.h>
#include <fardel/packer/asset_scan.h>

#include <cstddef>
#include <span>

namespace fardel {

// Errors: malformed, limit, unsupported (another version).
Result<ScanFindings> scan_md3(std::span<const std::byte> bytes);

}  // namespace fardel
