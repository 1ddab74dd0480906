#include <fardel/format/content_type.h>

#include "content_signatures.h"

#include <fardel/base/ascii.h>
#include <fardel/base/extension.h>
#include <fardel/format/limits.h>

#include <algorithm>

namespace fardel {
namespace {

constexpr std::string_view kUnknown = "application/octet-stream";

// ---- Signatures -----------------------------------------------------------------------------------------------------

// Both patterns must match. The second, if there is one, has bytes that no readable text has at that offset, so a
// readme that begins with "DDS" stays text.
struct FileSignature {
    std::string_view type;
    BytePattern first;
    BytePattern second = {};
};

// docs/packing.md, "Content types". The first match decides.
constexpr FileSignature kSignatures[] = {
    {"image/png", {0, "\x89PNG\r\n\x1a\n"}},
    {"image/jpeg", {0, "\xff\xd8\xff"}},
    {"image/gif", {0, "GIF87a"}},
    {"image/gif", {0, "GIF89a"}},
    {"image/ktx2", {0, "\xabKTX 20\xbb\r\n\x1a\n"}},
    {"image/ktx", {0, "\xabKTX 11\xbb\r\n\x1a\n"}},
    {"image/vnd-ms.dds", {0, "DDS "}, {4, raw_bytes_of("\x7c\0\0\0")}},
    {"image/webp", {0, "RIFF"}, {8, "WEBP"}},
    {"image/bmp", {0, "BM"}, {6, raw_bytes_of("\0\0\0\0")}},
    {"audio/wav", {0, "RIFF"}, {8, "WAVE"}},
    {"video/ogg", {0, raw_bytes_of("OggS\0")}, {28, "\x80theora"}},
    {"audio/ogg", {0, raw_bytes_of("OggS\0")}, {28, raw_bytes_of("\x01vorbis")}},
    {"audio/ogg", {0, raw_bytes_of("OggS\0")}, {28, "OpusHead"}},
    {"audio/ogg",
     {0, raw_bytes_of("OggS\0")},
     {28,
      "\x7f"
      "FLAC"}},
    {"audio/flac", {0, "fLaC"}, {4, raw_bytes_of("\0\0\0\x22")}},
    {"audio/flac", {0, "fLaC"}, {4, raw_bytes_of("\x80\0\0\x22")}},
    {"audio/mpeg", {0, raw_bytes_of("ID3\x02\0")}},
    {"audio/mpeg", {0, raw_bytes_of("ID3\x03\0")}},
    {"audio/mpeg", {0, raw_bytes_of("ID3\x04\0")}},
    {"video/x-roq", {0, "\x84\x10\xff\xff\xff\xff"}},
    {"model/x-md3", {0, raw_bytes_of("IDP3\x0f\0\0\0")}},
    {"model/x-mdc", {0, raw_bytes_of("IDPC\x02\0\0\0")}},
    {"model/x-md2", {0, raw_bytes_of("IDP2\x08\0\0\0")}},
    {"model/x-iqm", {0, raw_bytes_of("INTERQUAKEMODEL\0")}},
    {"model/gltf-binary", {0, raw_bytes_of("glTF\x02\0\0\0")}},
    {"application/x-bsp", {0, "IBSP"}, {5, raw_bytes_of("\0\0\0")}},
    {"application/x-bsp", {0, "RBSP"}, {5, raw_bytes_of("\0\0\0")}},
    {"application/x-aas", {0, "EAAS"}, {5, raw_bytes_of("\0\0\0")}},
    {"application/x-qvm", {0, "\x44\x14\x72\x12"}},
    {"application/x-qvm", {0, "\x45\x14\x72\x12"}},
    {"font/otf", {0, raw_bytes_of("OTTO\0")}},
    {"font/woff2", {0, "wOF2"}, {4, raw_bytes_of("\0\1\0\0")}},
    {"font/woff", {0, "wOFF"}, {4, raw_bytes_of("\0\1\0\0")}},
    {"application/zip", {0, "PK\x03\x04"}},
};

// ---- Extensions -----------------------------------------------------------------------------------------------------

struct Extension {
    std::string_view extension;
    std::string_view type;
};

constexpr Extension kExtensions[] = {
    {"bmp", "image/bmp"},
    {"dds", "image/vnd-ms.dds"},
    {"gif", "image/gif"},
    {"jpeg", "image/jpeg"},
    {"jpg", "image/jpeg"},
    {"ktx", "image/ktx"},
    {"ktx2", "image/ktx2"},
    {"pcx", "image/vnd.zbrush.pcx"},
    {"png", "image/png"},
    {"svg", "image/svg+xml"},
    {"tga", "image/x-tga"},
    {"webp", "image/webp"},

    {"flac", "audio/flac"},
    {"mp3", "audio/mpeg"},
    {"oga", "audio/ogg"},
    {"ogg", "audio/ogg"},
    {"opus", "audio/ogg"},
    {"wav", "audio/wav"},

    {"mp4", "video/mp4"},
    {"ogv", "video/ogg"},
    {"roq", "video/x-roq"},
    {"webm", "video/webm"},

    {"glb", "model/gltf-binary"},
    {"gltf", "model/gltf+json"},
    {"iqm", "model/x-iqm"},
    {"md2", "model/x-md2"},
    {"md3", "model/x-md3"},
    {"mdc", "model/x-mdc"},
    {"mtl", "model/mtl"},
    {"obj", "model/obj"},
    {"ase", "text/x-ase"},

    {"aas", "application/x-aas"},
    {"bsp", "application/x-bsp"},
    {"map", "text/x-quake-map"},

    {"arena", "text/x-quake-arena"},
    {"bot", "text/x-quake-bot"},
    {"c", "text/x-c"},
    {"cfg", "text/x-quake-config"},
    {"glsl", "text/x-glsl"},
    {"h", "text/x-c"},
    {"htm", "text/html"},
    {"html", "text/html"},
    {"json", "application/json"},
    {"lua", "text/x-lua"},
    {"md", "text/markdown"},
    {"menu", "text/x-quake-menu"},
    {"script", "text/x-quake-script"},
    {"shader", "text/x-quake-shader"},
    {"skin", "text/x-quake-skin"},
    {"toml", "application/toml"},
    {"txt", "text/plain"},
    {"xml", "application/xml"},

    {"qvm", "application/x-qvm"},
    {"otf", "font/otf"},
    {"ttf", "font/ttf"},
    {"woff", "font/woff"},
    {"woff2", "font/woff2"},
    {"pk3", "application/zip"},
    {"zip", "application/zip"},
};

}  // namespace

std::string_view content_type(std::string_view name, std::span<const std::byte> head) {
    for (const FileSignature& signature : kSignatures)
        if (signature.first.matches(head) && (signature.second.bytes.empty() || signature.second.matches(head)))
            return signature.type;
    const std::string_view extension = extension_of(name);
    for (const Extension& known : kExtensions)
        if (std::ranges::equal(extension, known.extension, {}, lower_ascii))
            return known.type;
    return kUnknown;
}

bool is_streamed(std::string_view type, std::uint64_t size_bytes) {
    return type.starts_with("video/") || (type.starts_with("audio/") && size_bytes > 1u << limits::kStreamBlockLog2) ||
           (type.starts_with("image/") && size_bytes > 1u << limits::kBlockLog2);
}

}  // namespace fardel
