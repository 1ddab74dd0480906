#include "content_signatures.h"

#include <fardel/base/ascii.h>
#include <fardel/base/little_endian.h>
#include <fardel/format/content_type.h>

#include <algorithm>
#include <array>

namespace fardel {
namespace {

// Bytes that no readable text has: control characters other than those for space, and the escape character.
bool is_binary(std::span<const std::byte> bytes) {
    return std::ranges::any_of(bytes, [](std::byte one) {
        const char c = static_cast<char>(one);
        return (one < std::byte{0x20} && !is_ascii_space(c)) || one == std::byte{0x7f};
    });
}

// Both patterns must match. `binary`: the first 64 bytes must be no readable text, because text may begin like this.
struct CodeSignature {
    std::string_view what;
    BytePattern first;
    BytePattern second = {};
    bool binary = false;
};

// docs/trust-policy.md, "Classes of content". The first match decides.
// Archives and compressed files count as code, because what is in them cannot be seen.
constexpr CodeSignature kCode[] = {
    {"an ELF program or library",
     {0,
      "\x7f"
      "ELF"}},
    {"a program for DOS or Windows", {0, "MZ"}, {}, true},
    {"a Mach-O program or library", {0, "\xfe\xed\xfa\xce"}},
    {"a Mach-O program or library", {0, "\xfe\xed\xfa\xcf"}},
    {"a Mach-O program or library", {0, "\xce\xfa\xed\xfe"}},
    {"a Mach-O program or library", {0, "\xcf\xfa\xed\xfe"}},
    {"a Java class or a Mach-O library", {0, "\xca\xfe\xba\xbe"}},
    {"a Mach-O library", {0, "\xca\xfe\xba\xbf"}},
    {"WebAssembly", {0, raw_bytes_of("\0asm")}},
    {"a QVM", {0, "\x44\x14\x72\x12"}},
    {"a QVM", {0, "\x45\x14\x72\x12"}},
    {"LLVM bitcode", {0, "BC\xc0\xde"}},
    {"LLVM bitcode", {0, "\xde\xc0\x17\x0b"}},
    {"Lua byte code", {0, "\x1bLua"}},
    {"LuaJIT byte code", {0, "\x1bLJ"}},
    {"Squirrel byte code", {0, "\xfa\xfa"}},
    {"Squirrel byte code", {0, raw_bytes_of("\0\0\xfa\xfa")}},
    {"Dalvik byte code", {0, "dex\n"}},
    {"Dalvik byte code", {0, "dey\n"}},
    {"Dalvik byte code", {0, raw_bytes_of("cdex")}, {}, true},
    {"mruby byte code", {0, "RITE0"}},
    {"GDScript byte code", {0, "GDSC"}, {}, true},
    {"a Flash program", {0, "FWS"}, {}, true},
    {"a Flash program", {0, "CWS"}, {}, true},
    {"a Flash program", {0, "ZWS"}, {}, true},
    {"a static library", {0, "!<arch>\n"}},
    {"a static library", {0, "!<thin>\n"}},
    {"ACS byte code", {0, raw_bytes_of("ACS\0")}},
    {"ACS byte code", {0, "ACSE"}, {}, true},
    {"ACS byte code", {0, "ACSe"}, {}, true},
    {"a Windows shortcut", {0, raw_bytes_of("\x4c\0\0\0\x01\x14\x02\0")}},
    {"a document that may hold macros", {0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"}},
    // Archives and compressed streams, whose content is not visible.
    {"a zip archive", {0, "PK\x03\x04"}},
    {"a zip archive", {0, "PK\x05\x06"}},
    {"a zip archive", {0, "PK\x07\x08"}},
    {"a 7z archive", {0, "7z\xbc\xaf\x27\x1c"}},
    {"a RAR archive", {0, "Rar!\x1a\x07"}},
    {"a tar archive", {257, "ustar"}},
    {"a cabinet", {0, raw_bytes_of("MSCF\0\0\0\0")}},
    {"a compressed file", {0, "\x1f\x8b"}},
    {"a compressed file", {0, "\x1f\x9d"}},
    {"a compressed file", {0, "BZh"}, {4, "\x31\x41\x59\x26\x53\x59"}},
    {"a compressed file",
     {0, raw_bytes_of("\xfd"
                      "7zXZ\0")}},
    {"a compressed file", {0, "\x28\xb5\x2f\xfd"}},
    {"a compressed file", {0, "\x04\x22\x4d\x18"}},
    {"a compressed file", {0, "LZIP"}, {}, true},
    {"a compressed file", {0, "SZDD\x88\xf0\x27\x33"}},
    {"a WAD archive", {0, "IWAD"}, {}, true},
    {"a WAD archive", {0, "PWAD"}, {}, true},
    {"a PAK archive", {0, "PACK"}, {}, true},
    {"a VPK archive", {0, "\x34\x12\xaa\x55"}},
    {"a GRP archive", {0, "KenSilverman"}, {}, true},
    {"a Godot package", {0, "GDPC"}, {}, true},
    {"a Unity archive", {0, raw_bytes_of("UnityFS\0")}},
    {"a file system image", {0, "hsqs"}, {}, true},
    {"a Fardel bundle", {0, "FARDEL\r\n"}},
    {"a Fardel delta", {0, "FARDELDT"}},
};

bool matches(const CodeSignature& code, std::span<const std::byte> head) {
    return code.first.matches(head) && code.second.matches(head) &&
           (!code.binary || is_binary(head.first(std::min<std::size_t>(head.size(), 64))));
}

std::uint32_t word_at(std::span<const std::byte> head, std::size_t at) {
    return load_le<std::uint32_t>(head.data() + at);
}

// Python writes a number of the version, then CR LF; those numbers are not two characters of ASCII text.
bool is_python_code(std::span<const std::byte> head) {
    if (!BytePattern{2, "\r\n"}.matches(head))
        return false;
    const std::uint32_t version = word_at(head, 0) & 0xffff;
    return (version >= 3000 && version < 4000) || version >= 50000 || version == 20121;
}

// QuakeC: version 6 or 7, a checksum of 16 bits, and a table that begins directly after the header of 60 bytes.
bool is_quakec(std::span<const std::byte> head) {
    constexpr std::size_t kHeaderBytes = 60;
    constexpr std::array<std::size_t, 6> kTables{8, 16, 24, 32, 40, 48};
    if (head.size() < kHeaderBytes || (word_at(head, 0) != 6 && word_at(head, 0) != 7) || word_at(head, 4) > 0xffff)
        return false;
    return std::ranges::any_of(kTables, [&](std::size_t at) { return word_at(head, at) == kHeaderBytes; });
}

std::uint8_t byte_at(std::span<const std::byte> head, std::size_t at) { return static_cast<std::uint8_t>(head[at]); }

// TGA has no signature: kinds of colour map and picture, and bits per pixel.
bool is_targa(std::span<const std::byte> head) {
    constexpr std::size_t kHeaderBytes = 18;
    constexpr std::array<std::uint8_t, 9> kKinds{0, 1, 2, 3, 9, 10, 11, 32, 33};
    constexpr std::array<std::uint8_t, 6> kBits{1, 8, 15, 16, 24, 32};
    return head.size() >= kHeaderBytes && byte_at(head, 1) <= 1 &&
           std::ranges::find(kKinds, byte_at(head, 2)) != kKinds.end() &&
           std::ranges::find(kBits, byte_at(head, 16)) != kBits.end();
}

bool is_pcx(std::span<const std::byte> head) {
    return head.size() >= 4 && byte_at(head, 0) == 0x0a && byte_at(head, 1) <= 5 && byte_at(head, 2) <= 1 &&
           byte_at(head, 3) <= 8;
}

// A frame of MPEG audio: eleven bits set, a layer, a bit rate and a sample rate that exist.
bool is_mpeg_audio(std::span<const std::byte> head) {
    return head.size() >= 4 && byte_at(head, 0) == 0xff && (byte_at(head, 1) & 0xe0) == 0xe0 &&
           (byte_at(head, 1) & 0x06) != 0 && (byte_at(head, 2) & 0xf0) != 0xf0 && (byte_at(head, 2) & 0x0c) != 0x0c;
}

// Media that content_type() does not recognise, because nothing in Fardel needs to.
constexpr BytePattern kMoreMedia[] = {
    {0, raw_bytes_of("\0\1\0\0\0")},  // TrueType
    {0, "true"},
    {0, raw_bytes_of("ttcf\0")},  // TrueType of Apple; collection
    {4, "ftyp"},
    {0, "\x1a\x45\xdf\xa3"},    // MP4, WebM
    {0, raw_bytes_of("RIFF")},  // AVI and others
    {0, "fLaC"},
    {0, "DDS "},
    {0, raw_bytes_of("OggS\0")},
    {0, "ID3"},
    {0, "BM"},
    {0, "IDP3"},
    {0, "IDPC"},
    {0, "IDP2"},
    {0, "IDPO"},
    {0, "EAAS"},
    {0, "IBSP"},
    {0, "RBSP"},
    {0, "VBSP"},
    {0, "FBSP"},
    {0, "BSP2"},
    {0, "2PSB"},
    {0, raw_bytes_of("\x1d\0\0\0")},
    {0, raw_bytes_of("\x1e\0\0\0")},  // maps of Quake and Half-Life
    {0, "glTF"},
    {0, "wOFF"},
    {0, "wOF2"},
    {0, "OTTO"},
    {0, "G3D"},   // MegaGlest
    {0, "IDSP"},  // sprites and models of Quake and Half-Life
    {0, "IDST"},
    {0, "FORM"},  // AIFF
    {0, "MThd"},
    {0, "Extended Module: "},
    {0, "IMPM"},
    {44, "SCRM"},
    {1080, "M.K."},
    {1080, "M!K!"},
    {1080, "FLT4"},
    {1080, "4CHN"},
    {1080, "6CHN"},
    {1080, "8CHN"},
    {0, "\x76\x2f\x31\x01"},  // OpenEXR
    {0, "\x13\xab\xa1\x5c"},  // ASTC
    {0, "PKM "},
    {0, "PVR\x03"},
    {0, "8BPS"},
    {0, raw_bytes_of("II*\0")},
    {0, raw_bytes_of("MM\0*")},
    {0, raw_bytes_of("\0\0\1\0")},  // icons
    {0, "qoif"},
    {0, "\xff\x0a"},  // JPEG XL
    {4, "JXL "},
    {0, "VOX "},
};

}  // namespace

ContentFinding find_code(std::span<const std::byte> head) {
    for (const CodeSignature& code : kCode)
        if (matches(code, head))
            return {ContentClass::code, code.what};
    if (is_python_code(head))
        return {ContentClass::code, "Python byte code"};
    if (is_quakec(head))
        return {ContentClass::code, "QuakeC byte code"};
    return {};
}

bool is_media(std::span<const std::byte> head) {
    const auto known = [&](const BytePattern& pattern) { return pattern.matches(head); };
    // A name that claims a picture must be one: a script with one control character in a comment is not readable text
    // either.
    const bool readable = !is_binary(head.first(std::min<std::size_t>(head.size(), 256)));
    if (readable)  // no picture, sound or model is readable text
        return false;
    const std::string_view type = content_type("", head);
    return !type.starts_with("application/octet") || is_targa(head) || is_pcx(head) || is_mpeg_audio(head) ||
           std::ranges::any_of(kMoreMedia, known);
}

}  // namespace fardel
