// The output of `--json`. The man pages describe the shapes; keys keep their order; bytes that are not UTF-8 become
// U+FFFD; characters that could mislead a terminal or a reader are escaped, which changes no value.
#pragma once

#include "console.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace fardel {

using Json = nlohmann::ordered_json;

std::string format_json(const Json& value, int indent = 2);

// The array of what `make` returns for each value.
template <class Values, class Make>
Json json_list(const Values& values, Make make) {
    Json list = Json::array();
    for (const auto& value : values)
        list.push_back(make(value));
    return list;
}

// The hexadecimal digits of an id or key, or null.
template <class Id>
Json json_id(const std::optional<Id>& id) {
    return id ? Json(id->hex()) : Json();
}

// Prints the JSON value that `make_json` returns, or else the text that `make_text` returns, and ends the verb with
// `exit`. Only one of them is called.
template <class MakeJson, class MakeText>
Result<Exit> print_result(Console& console, bool as_json, MakeJson make_json, MakeText make_text,
                          Exit exit = Exit::fine) {
    return console.print(as_json ? format_json(make_json()) + "\n" : std::string(make_text()), exit);
}

}  // namespace fardel
