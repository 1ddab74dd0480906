// Scans glTF 2.0, as JSON or in its binary container: the URIs of buffers and images that lie outside the file.
//
// docs/reference-scanners.md documents what is read. Pure; hostile bytes: no tree is built of the JSON.
#pragma once

#include <fardel/base/result.h>
#include <fardel/packer/asset_scan.h>

#include <cstddef>
#include <span>
#include <string_view>

namespace fardel {

// Errors: malformed, limit.
Result<ScanFindings> scan_gltf(std::string_view json, const char* asset = nullptr);
// Errors: malformed, limit, unsupported (another version of the container).
Result<ScanFindings> scan_glb(std::span<const std::byte> bytes);

}  // namespace fardel
