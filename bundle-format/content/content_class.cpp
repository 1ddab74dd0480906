#include <fardel/format/content_class.h>

#include "content_signatures.h"
#include "script_text.h"

#include <fardel/base/ascii.h>
#include <fardel/base/extension.h>

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
// What is data: formats whose first bytes say what they are, and text. A format in which engines find scripts is in no
// list: scenes of Godot, levels of SuperTux, YAML with its tags, SVG, projects of editors.
constexpr std::string_view kMediaExtensions[] = {
    "aas",  "aif", "aiff", "astc", "avi",  "avif", "bmp",  "bsp",  "dds",   "exr", "flac", "g3d", "gif",
    "glb",  "ico", "iqm",  "it",   "jpeg", "jpg",  "jxl",  "ktx",  "ktx2",  "m4a", "m4v",  "md2", "md3",
    "mdc",  "mdl", "mid",  "midi", "mkv",  "mod",  "mov",  "mp3",  "mp4",   "oga", "ogg",  "ogv", "opus",
    "otf",  "pcx", "pkm",  "png",  "psd",  "pvr",  "qoi",  "roq",  "s3m",   "spr", "spx",  "tga", "tif",
    "tiff", "ttc", "ttf",  "vox",  "wav",  "webm", "webp", "woff", "woff2", "xm",
};
constexpr std::string_view kTextExtensions[] = {
    "arena", "ase",    "c",    "csv",    "ent",    "fnt",     "frag",    "geom",    "glsl", "h",     "hlsl", "iqe",
    "lang",  "lng",    "lst",  "map",    "md",     "md5anim", "md5mesh", "mtl",     "mtr",  "music", "obj",  "po",
    "pot",   "shader", "skin", "sndshd", "sprite", "srt",     "stf",     "surface", "tsv",  "txt",   "vert", "vtt",
};
constexpr std::string_view kJsonExtensions[] = {"gltf", "json"};
constexpr std::string_view kXmlExtensions[] = {"dae", "tmx", "xml"};
// Files that have no extension by custom.
constexpr std::string_view kTextNames[] = {
    "author",  "authors", "changelog", "changes", "copying", "copyright", "credits",
    "licence", "license", "news",      "notice",  "readme",  "thanks",
};

static_assert(std::ranges::is_sorted(kCodeExtensions) && std::ranges::is_sorted(kScriptExtensions) &&
              std::ranges::is_sorted(kMediaExtensions) && std::ranges::is_sorted(kTextExtensions) &&
              std::ranges::is_sorted(kJsonExtensions) && std::ranges::is_sorted(kXmlExtensions) &&
              std::ranges::is_sorted(kTextNames));

template <std::size_t N>
bool is_one_of(const std::string_view (&list)[N], std::string_view extension) {
    return std::ranges::binary_search(list, extension);
}

std::string lower_extension(std::string_view name) { return lower_ascii_text(extension_of(name)); }

std::string lower_leaf(std::string_view name) { return lower_ascii_text(name.substr(name.rfind('/') + 1)); }

// "libgame.so.1.2": the extension is before a version.
bool is_versioned_library(std::string_view name) {
    std::string leaf = lower_leaf(name);
    while (!leaf.empty() && (is_ascii_digit(leaf.back()) || leaf.back() == '.'))
        leaf.pop_back();
    return leaf.ends_with(".so");
}

// Quake III reads the frames of a player's model from it; unlike other .cfg files, nothing executes it.
bool is_frame_table(std::string_view name) { return lower_leaf(name) == "animation.cfg"; }

constexpr bool claims(ContentClaim claimed, ContentClaim kind) { return (claimed | kind) == claimed; }

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

ContentClaim claim_of(std::string_view name) {
    const std::string extension = lower_extension(name);
    if (is_one_of(kMediaExtensions, extension))
        return ContentClaim::media;
    if (is_one_of(kJsonExtensions, extension))
        return ContentClaim::text | ContentClaim::json;
    if (is_one_of(kXmlExtensions, extension))
        return ContentClaim::text | ContentClaim::xml;
    if (is_one_of(kTextExtensions, extension) || is_one_of(kTextNames, lower_leaf(name)) || is_frame_table(name))
        return ContentClaim::text;
    return ContentClaim::nothing;
}

ContentFinding classify_name(std::string_view name) {
    const std::string extension = lower_extension(name);
    if (is_one_of(kCodeExtensions, extension) || is_versioned_library(name))
        return {ContentClass::code, "a name of code or of an archive"};
    if (is_one_of(kScriptExtensions, extension) && !is_frame_table(name))
        return {ContentClass::script, "a name of a script"};
    if (claim_of(name) == ContentClaim::nothing)
        return {ContentClass::script, "a name of no format that is known to be data"};
    return {};
}

ContentFinding classify_bytes(std::span<const std::byte> head, ContentClaim claimed) {
    head = head.first(std::min(head.size(), kContentClassBytes));
    if (head.empty())
        return {};
    if (const ContentFinding code = find_code(head); code.content != ContentClass::data)
        return code;
    if (const ContentFinding script = find_script(head); script.content != ContentClass::data)
        return script;
    const bool media = is_media(head);
    const bool text = is_readable_text(head);
    if ((claims(claimed, ContentClaim::media) && !media) || (claims(claimed, ContentClaim::text) && !text) ||
        (claims(claimed, ContentClaim::json) && !begins_with_one_of(head, "{[")) ||
        (claims(claimed, ContentClaim::xml) && !begins_with_one_of(head, "<")))
        return {ContentClass::script, "of no format that its name claims"};
    if (!media && !text)
        return {ContentClass::script, "of no format that is known to be data"};
    return {};
}

}  // namespace fardel
