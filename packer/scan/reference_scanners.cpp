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

// Which files of other programs a scanner meets, since extensions are few.
enum class Others : std::uint8_t { any, binary };

struct Scanner {
    std::string_view word;  // a content type or a glob
    std::string_view name;  // for profiles
    ScanText text = nullptr;
    ScanBytes bytes = nullptr;  // at most one of both is set
    Others others = Others::any;
};

// It has one more argument than a ScanText.
Result<ScanFindings> scan_shader(std::string_view text, const char* asset) {
    return scan_quake3_shader(text, asset, {});
}

constexpr Scanner kTypeScanners[] = {
    {"text/x-quake-shader", "shader", scan_shader},
    {"text/x-quake-skin", "skin", scan_skin},
    {"text/x-quake-menu", "menu", scan_menu},
    {"text/x-quake-arena", "arena", scan_arena},
    {"text/x-quake-map", "map", scan_map_source},
    {"model/gltf+json", "gltf", scan_gltf, nullptr, Others::binary},
    {"model/obj", "obj", scan_obj, nullptr, Others::binary},
    {"model/mtl", "obj", scan_mtl, nullptr, Others::binary},
    {"model/x-md3", "md3", nullptr, scan_md3},
    {"application/x-bsp", "bsp", nullptr, scan_bsp},
    {"model/gltf-binary", "gltf", nullptr, scan_glb},
};

// Files that the game reads by name, and whose extension does not identify a format: globs over folded names.
constexpr Scanner kNamedScanners[] = {
    {"botfiles/**/*.c", "bots", scan_bot_file},  {"botfiles/**/*.h", "bots", scan_bot_file},
    {"scripts/*.bot", "bots", scan_bots},        {"scripts/*/*.bot", "bots", scan_bots},
    {"scripts/arenas.txt", "arena", scan_arena}, {"scripts/bots.txt", "bots", scan_bots},
    {"ui/**/*.panel", "menu", scan_menu_part},   {"ui/**/*.h", "menu", scan_menu_part},
    {"ui/hud.txt", "menu", scan_menu},           {"ui/ingame.txt", "menu", scan_menu},
    {"ui/menus.txt", "menu", scan_menu},
};

constexpr std::string_view kScannerNames[] = {"arena", "bots", "bsp", "gltf",   "map",
                                              "md3",   "menu", "obj", "shader", "skin"};

Scanner scanner_of(std::string_view name, std::string_view content_type, const GameProfile& profile) {
    const auto is_on = [&](const Scanner& scanner) {
        return std::ranges::find(profile.scanners_off, scanner.name) == profile.scanners_off.end();
    };
    const std::string folded = fold_name(name);
    for (const Scanner& scanner : kNamedScanners)
        if (glob_matches(scanner.word, folded) && is_on(scanner))
            return scanner;
    const auto* const scanner = std::ranges::find(kTypeScanners, content_type, &Scanner::word);
    return scanner != std::end(kTypeScanners) && is_on(*scanner) ? *scanner : Scanner();
}

Result<ScanFindings> scan_text(const Scanner& scanner, std::span<const std::byte> bytes, bool with_locations,
                               const GameProfile& profile) {
    const auto other = find_other_format(bytes);
    if (other && (scanner.others == Others::any || *other == kNoText))
        return ScanFindings{.other_format = std::string(*other)};
    FARDEL_TRY_ASSIGN(const std::string_view text, asset_text(bytes));
    const char* const asset = with_locations ? reinterpret_cast<const char*>(bytes.data()) : nullptr;
    return scanner.text == scan_shader ? scan_quake3_shader(text, asset, profile.image_words)
                                       : scanner.text(text, asset);
}

}  // namespace

std::span<const std::string_view> scanner_names() noexcept { return kScannerNames; }

std::string_view scanner_for(std::string_view name, std::string_view content_type, const GameProfile& profile) {
    return scanner_of(name, content_type, profile).word;
}

bool scans_text(std::string_view name, std::string_view content_type, const GameProfile& profile) {
    return scanner_of(name, content_type, profile).text != nullptr;
}

Result<ScanFindings> scan_references(std::string_view name, std::string_view content_type,
                                     std::span<const std::byte> bytes, bool with_locations,
                                     const GameProfile& profile) {
    const Scanner scanner = scanner_of(name, content_type, profile);
    if (scanner.text)
        return scan_text(scanner, bytes, with_locations, profile);
    return scanner.bytes ? scanner.bytes(bytes) : ScanFindings();
}

}  // namespace fardel
