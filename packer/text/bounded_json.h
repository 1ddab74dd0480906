// Parses JSON that is not trusted. For the few files that include the library, which takes long to compile.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// The same for texts that are signed: also returns nothing if an object has a key twice, because readers differ in
// which of its values counts.
inline std::optional<nlohmann::json> parse_unambiguous_json(std::string_view text, int depth_max) {
    using Event = nlohmann::json::parse_event_t;
    bool refused = false;
    std::vector<std::set<std::string>> keys;  // of the objects that are open
    nlohmann::json json = nlohmann::json::parse(
        text,
        [&](int depth, Event event, nlohmann::json& value) {
            refused |= depth > depth_max;
            if (!refused && event == Event::object_start)
                keys.emplace_back();
            else if (!refused && event == Event::key)
                refused |= !keys.back().insert(value.get<std::string>()).second;
            else if (!refused && event == Event::object_end)
                keys.pop_back();
            return !refused;
        },
        false);
    return refused ? std::nullopt : std::optional(std::move(json));
}

}  // namespace fardel
