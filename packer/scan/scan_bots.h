// Scans the files of bots: the lists of bots (scripts/bots.txt, *.bot), which name models and characters, and the
// characters, weights and chats in botfiles/.
//
// docs/reference-scanners.md documents what is read. Pure; hostile text.
#pragma once

#include <fardel/base/result.h>
#include <fardel/packer/asset_scan.h>

#include <string_view>

namespace fardel {

// Errors: malformed, limit.
Result<ScanFindings> scan_bots(std::string_view text, const char* asset = nullptr);
// Error: limit.
Result<ScanFindings> scan_bot_file(std::string_view text, const char* asset = nullptr);

}  // namespace fardel
