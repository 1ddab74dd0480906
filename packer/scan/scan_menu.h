// Scans Team Arena's menu scripts: pictures, models, sounds, films and further scripts.
//
// docs/reference-scanners.md documents what is read. Pure; hostile text.
#pragma once

#include <fardel/base/result.h>
#include <fardel/packer/asset_scan.h>

#include <string_view>

namespace fardel {

// Errors: malformed, limit.
Result<ScanFindings> scan_menu(std::string_view text, const char* asset = nullptr);
// A text that menus include: its braces need not match. Errors: malformed, limit.
Result<ScanFindings> scan_menu_part(std::string_view text, const char* asset = nullptr);

// "MP_BACKGROUND1": the form of a word that a menu does not define and that an included file defines. No file of a game
// is named so.
bool is_menu_macro(std::string_view word);

}  // namespace fardel
