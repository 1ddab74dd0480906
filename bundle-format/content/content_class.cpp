#include <fardel/format/content_class.h>

#include "content_signatures.h"
#include "script_text.h"

#include <fardel/base/ascii.h>

#include <algorithm>
#include <array>
#include <string>

namespace fardel {
namespace {

constexpr std::array<std::string_view, 3> kClassNames{"data", "script", "code"};

// Sorted lists of extensions in lower case. docs/trust-policy.md, "Classes of content".
constexpr std::string_view kCodeExtensions[] = {
    "7z",    "a",   "apk",  "app",    "bc",  "bz2",  "cab", "class", "com", "cpl", "dex", "dll",  "docm",  "drv",
    "dylib", "elf", "exe",  "fardel", "grp", "gz",   "iwd", "jar",   "ko",  "lib", "lnk", "love", "lua51", "luac",
    "lz4",   "msi", "msix", "node",   "o",   "ocx",  "ova", "pak",   "pck", "pif", "pk3", "pk4",  "pkz",   "pyc",
    "pyd",   "pyo", "pyz",  "qvm",    "rar", "scpt", "scr", "so",    "swf", "sys", "tar", "tbz",  "tgz",   "txz",
    "vpk",   "wad", "war",  "wasm",   "whl", "xlsm", "xpi", "xz",    "zip", "zst",
};
constexpr std::string_view kScriptExtensions[] = {
    "ahk", "applescript", "as",   "asp",    "bas",     "bash", "bat",   "bsh",   "cfg", "cjs", "cl",   "clj",
    "cmd", "coffee",      "csh",  "csx",    "desktop", "el",   "erb",   "fish",  "fnl", "gd",  "gml",  "groovy",
    "hta", "htm",         "html", "inf",    "js",      "jse",  "jsp",   "jsx",   "ksh", "kts", "lisp", "lsp",
    "lua", "luau",        "menu", "mjs",    "moon",    "mts",  "nut",   "nuts",  "pdf", "php", "pl",   "pm",
    "ps",  "ps1",         "psd1", "psm1",   "py",      "pyi",  "pyw",   "qc",    "r",   "rb",  "rc",   "reg",
    "rpy", "scf",         "scm",  "script", "sct",     "sh",   "shtml", "tcl",   "ts",  "tsx", "uc",   "url",
    "vb",  "vbe",         "vbs",  "wren",   "ws",      "wsf",  "wsh",   "xhtml", "zs",  "zsc", "zsh",
};
constexpr std::string_view kMediaExtensions[] = {
    "aas",  "bmp", "bsp", "dds", "flac", "gif", "glb",  "iqm",  "jpeg", "jpg",   "ktx",
    "ktx2", "md2", "md3", "mdc", "mp3",  "mp4", "oga",  "ogg",  "ogv",  "opus",  "otf",
    "pcx",  "png", "roq", "tga", "ttf",  "wav", "webm", "webp", "woff", "woff2",
};

static_assert(std::ranges::is_sorted(kCodeExtensions) && std::ranges::is_sorted(kScriptExtensions) &&
              std::ranges::is_sorted(kMediaExtensions));

template <std::size_t N>
bool is_one_of(const std::string_view (&list)[N], std::string_view extension) {
    return std::ranges::binary_search(list, extension);
}

std::string lower_extension(std::string_view name) { return lower_ascii_text(extension_of(name)); }

// "libgame.so.1.2": the extension is before a version.
bool is_versioned_library(std::string_view name) {
    std::string leaf = lower_ascii_text(name.substr(name.rfind('/') + 1));
    while (!leaf.empty() && (is_ascii_digit(leaf.back()) || leaf.back() == '.'))
        leaf.pop_back();
    return leaf.ends_with(".so");
}

// Quake III reads the frames of a player's model from it; unlike other .cfg files, nothing executes it.
bool is_frame_table(std::string_view name) {
    return lower_ascii_text(name.substr(name.rfind('/') + 1)) == "animation.cfg";
}

}  // namespace

std::string_view content_class_name(ContentClass content) noexcept {
    return kClassNames[std::min<std::size_t>(static_cast<std::size_t>(content), kClassNames.size() - 1)];
}

std::string format_classes(ContentClass brings) {
    std::string text;
    for (std::size_t i = 0; i < kClassNames.size() && i <= static_cast<std::size_t>(brings); ++i)
        text.append(text.empty() ? "" : ",").append(kClassNames[i]);
    return text;
}

std::optional<ContentClass> parse_classes(std::string_view text) {
    for (const ContentClass brings : {ContentClass::data, ContentClass::script, ContentClass::code})
        if (text == format_classes(brings))
            return brings;
    return std::nullopt;
}

ContentFinding classify_name(std::string_view name) {
    const std::string extension = lower_extension(name);
    if (is_one_of(kCodeExtensions, extension) || is_versioned_library(name))
        return {ContentClass::code, "a name of code or of an archive"};
    if (is_one_of(kScriptExtensions, extension) && !is_frame_table(name))
        return {ContentClass::script, "a name of a script"};
    return {};
}

bool claims_media(std::string_view name) { return is_one_of(kMediaExtensions, lower_extension(name)); }

ContentFinding classify_bytes(std::span<const std::byte> head, bool claims_media) {
    head = head.first(std::min(head.size(), kContentClassBytes));
    if (head.empty())
        return {};
    if (const ContentFinding code = find_code(head); code.content != ContentClass::data)
        return code;
    if (const ContentFinding script = find_script(head); script.content != ContentClass::data)
        return script;
    if (claims_media && !is_media(head))
        return {ContentClass::script, "of no format that its name claims"};
    return {};
}

}  // namespace fardel
