// Parses JSON that is not trusted. For the few files that include the library, which takes long to compile.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string_view>

namespace fardel {

// Returns a discarded value if the text is no JSON, and nothing if its values are nested deeper than `depth_max`, of
// which no more is read: a value in a value costs memory that grows faster than the text.
inline std::optional<nlohmann::json> parse_bounded_json(std::string_view text, int depth_max) {
    bool too_deep = false;
    nlohmann::json json = nlohmann::json::parse(
        text,
        [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
            too_deep |= depth > depth_max;
            return !too_deep;
        },
        false);
    return too_deep ? std::nullopt : std::optional(std::move(json));
}

}  // namespace fardel
