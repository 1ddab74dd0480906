// The size of a body, as the headers of its request announce it.
#pragma once

#include "serve/server_answer.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fardel {

// Nothing: it is left out, or no number; the request is answered with 411.
inline std::optional<std::uint64_t> find_announced_bytes(const ReceivedRequest& request) {
    const std::string_view length = request.header("Content-Length");
    std::uint64_t bytes = 0;
    const auto parsed = std::from_chars(length.data(), length.data() + length.size(), bytes);
    if (length.empty() || parsed.ec != std::errc() || parsed.ptr != length.data() + length.size())
        return std::nullopt;
    return bytes;
}

}  // namespace fardel
