#include "scan/reference_scanners.h"

#include "format_scanners.h"
#include "script_text.h"

#include <fardel/format/name.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace fardel {
namespace {

using ScanText = Result<ScanFindings> (*)(std::string_view, const char*);
using ScanBytes = Result<ScanFindings> (*)(std::span<const std::byte>);

struct Scanner {
    std::string_view word;  // a content type or a glob
    ScanText text = nullptr;
    ScanBytes bytes = nullptr;  // at most one of both is set
};

constexpr Scanner kTypeScanners[] = {
    {"text/x-quake-shader", scan_quake3_shader},
    {"text/x-quake-skin", scan_skin},
    {"text/x-quake-menu", scan_menu},
    {"text/x-quake-arena", scan_arena},
    {"text/x-quake-map", scan_map_source},
    {"model/gltf+json", scan_gltf},
    {"model/obj", scan_obj},
    {"model/mtl", scan_mtl},
    {"model/x-md3", nullptr, scan_md3},
    {"application/x-bsp", nullptr, scan_bsp},
    {"model/gltf-binary", nullptr, scan_glb},
};

// Files that the game reads by name, and whose extension does not identify a format: globs over folded names.
constexpr Scanner kNamedScanners[] = {
    {"botfiles/**/*.c", scan_bot_file}, {"botfiles/**/*.h", scan_bot_file}, {"scripts/*.bot", scan_bots},
    {"scripts/*/*.bot", scan_bots},     {"scripts/arenas.txt", scan_arena}, {"scripts/bots.txt", scan_bots},
    {"ui/**/*.panel", scan_menu_part},  {"ui/**/*.h", scan_menu_part},      {"ui/hud.txt", scan_menu},
    {"ui/ingame.txt", scan_menu},       {"ui/menus.txt", scan_menu},
};

Result<ScanFindings> scan_text(ScanText scan, std::span<const std::byte> bytes, bool with_locations) {
    FARDEL_TRY_ASSIGN(const std::string_view text, asset_text(bytes));
    return scan(text, with_locations ? reinterpret_cast<const char*>(bytes.data()) : nullptr);
}

Scanner scanner_of(std::string_view name, std::string_view content_type) {
    const std::string folded = fold_name(name);
    for (const Scanner& scanner : kNamedScanners)
        if (glob_matches(scanner.word, folded))
            return scanner;
    const auto* const scanner = std::ranges::find(kTypeScanners, content_type, &Scanner::word);
    return scanner != std::end(kTypeScanners) ? *scanner : Scanner();
}

Result<ScanFindings> scan(const Scanner& scanner, std::span<const std::byte> bytes, bool with_locations) {
    if (scanner.text)
        return scan_text(scanner.text, bytes, with_locations);
    return scanner.bytes ? scanner.bytes(bytes) : ScanFindings();
}

}  // namespace

std::string_view scanner_for(std::string_view name, std::string_view content_type) noexcept {
    return scanner_of(name, content_type).word;
}

bool scans_text(std::string_view name, std::string_view content_type) noexcept {
    return scanner_of(name, content_type).text != nullptr;
}

Result<ScanFindings> scan_references(std::string_view name, std::string_view content_type,
                                     std::span<const std::byte> bytes, bool with_locations) {
    return scan(scanner_of(name, content_type), bytes, with_locations);
}

}  // namespace fardel
