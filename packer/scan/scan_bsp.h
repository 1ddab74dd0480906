// Scans compiled maps (IBSP 46 and 47): shaders of faces, fogs, and what entities name.
//
// docs/reference-scanners.md documents what is read. Pure; hostile bytes.
#pragma once

#include <fardel/base/result.h>
#include <fardel/packer/asset_scan.h>

#include <cstddef>
#include <span>

namespace fardel {

// Errors: malformed, limit, unsupported (another version).
Result<ScanFindings> scan_bsp(std::span<const std::byte> bytes);

}  // namespace fardel
