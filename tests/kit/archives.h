// Archives: zips that no normal program writes, and 7z as hexadecimal digits.
#pragma once

#include "bytes.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel::tests {

// Zips of which a test can choose each field; nothing is compressed. A witness: it shares no code with the reader of
// zips, and computes their check value itself.
struct ZipMember {
    std::string name;
    std::string content;
    bool deflated = false;                // in stored blocks of deflate, one per 65,535 bytes
    std::uint16_t made_by = 3 << 8 | 20;  // Unix
    std::uint16_t flags = 0;
    std::uint32_t attributes = 0100644u << 16;
    std::optional<std::uint16_t> method = {};  // this and the following: what the headers claim
    std::optional<std::uint32_t> crc32 = {};
    std::optional<std::uint32_t> stored_bytes = {};
    std::optional<std::uint32_t> raw_bytes = {};
    std::optional<std::uint32_t> header_offset = {};
    std::string stored = {};  // the bytes in the zip, if not made from `content`
    Bytes extra = {};         // of the directory's record
};

struct ZipShape {
    std::string prefix = {};  // before the zip
    std::string comment = {};
    bool zip64 = false;
    std::optional<std::uint16_t> count = {};
    std::optional<std::uint32_t> directory_bytes = {};
    std::optional<std::uint32_t> directory_offset = {};
};

std::uint32_t zip_crc32(std::string_view content);
Bytes build_zip(const std::vector<ZipMember>& members, const ZipShape& shape = {});

// maps/dm01.bsp ("a level") and default.cfg, written by libarchive 3.6.2 with LZMA, in one solid block.
inline constexpr std::string_view kSevenZip =
    "377abcaf271c00038129cfb08c000000000000002000000000000000870a38c20030880986947644f5ea6739eb66431f"
    "96d936a84cd03d13e13113ffff2e6c00000000813307ae0fd01dd27c9f3f47416737d676e65eeeea04e9ed4a82746ab0"
    "7298bd1427f7d7c65d0200b15976f47b0653061c30450bc72c1251d2db8ffddaefe19c37e49cfb1413a85b285c2f3c67"
    "5e99372537e02c3ecba86429852954f6b3a405cd0cb6a3fffe9a540017062101096b00070b01000123030101055d0000"
    "80000c720a01013884160000";

// A coder without a size, which made PhysicsFS 3.0.2 read outside its memory. All checksums are right.
inline constexpr std::string_view kCrashingSevenZip =
    "377abcaf271c00045ff5eee000000000000000003f00000000000000c30c117e01040600010980e000070b0100012303"
    "0100055d000010000cd000000a011cea38a700080000050131130062006f006d0062002e00620069006e0000000000";

}  // namespace fardel::tests
