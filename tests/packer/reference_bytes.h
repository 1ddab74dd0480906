// Small assets made by hand, for the tests of the reference scanners.
#pragma once

#include "kit/bytes.h"

#include "scan/reference_scanners.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel::tests {

inline std::string le32(std::uint32_t value) {
    std::string out;
    for (int i = 0; i < 4; ++i)
        out += static_cast<char>(value >> (8 * i) & 0xff);
    return out;
}

inline std::string fixed(std::string text, std::size_t bytes) {
    text.resize(bytes, '\0');
    return text;
}

// Returns a model with one surface per list of shaders, and no triangles.
inline std::string md3_of(const std::vector<std::vector<std::string>>& surfaces) {
    std::string body;
    for (const auto& shaders : surfaces) {
        const auto size = static_cast<std::uint32_t>(108 + 68 * shaders.size());
        body += "IDP3" + fixed("body", 64) + le32(0) + le32(1) + le32(static_cast<std::uint32_t>(shaders.size())) +
                le32(0) + le32(0);
        body += le32(size) + le32(108) + le32(size) + le32(size) + le32(size);
        for (const std::string& shader : shaders)
            body += fixed(shader, 64) + le32(0);
    }
    std::string head = "IDP3" + le32(15) + fixed("models/x.md3", 64) + le32(0);
    head += le32(1) + le32(0) + le32(static_cast<std::uint32_t>(surfaces.size())) + le32(0);
    head += le32(108) + le32(108) + le32(108) + le32(static_cast<std::uint32_t>(108 + body.size()));
    return head + body;
}

// Each shader has a surface, except the last `undrawn` ones.
inline std::string bsp_of(const std::vector<std::string>& shaders, const std::vector<std::string>& fogs,
                          const std::string& entities, std::size_t undrawn = 0) {
    std::vector<std::string> lumps(17);
    lumps[0] = entities;
    for (const std::string& shader : shaders)
        lumps[1] += fixed(shader, 64) + le32(0) + le32(1);
    for (std::size_t shader = 0; shader + undrawn < shaders.size(); ++shader)
        lumps[13] += le32(static_cast<std::uint32_t>(shader)) + std::string(100, '\0');
    for (const std::string& fog : fogs)
        lumps[12] += fixed(fog, 64) + le32(0) + le32(0xffffffff);
    std::string head = "IBSP" + le32(46);
    std::string body;
    for (const std::string& lump : lumps) {
        head += le32(static_cast<std::uint32_t>(144 + body.size())) + le32(static_cast<std::uint32_t>(lump.size()));
        body += lump;
    }
    return head + body;
}

inline std::string glb_of(std::string json) {
    json.resize((json.size() + 3) / 4 * 4, ' ');
    return "glTF" + le32(2) + le32(static_cast<std::uint32_t>(20 + json.size())) +
           le32(static_cast<std::uint32_t>(json.size())) + "JSON" + json;
}

}  // namespace fardel::tests
