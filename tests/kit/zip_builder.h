// Builds zips that no normal program writes: a test can choose each field, and nothing is compressed. A witness: it
// shares no code with the reader of zips, and computes their check value itself.
#pragma once

#include "bytes.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel::tests {

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

}  // namespace fardel::tests
