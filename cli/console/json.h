// The output of `--json`. The man pages describe the shapes; keys keep their order; bytes that are not UTF-8 become
// U+FFFD.
#pragma once

#include "console.h"

#include <nlohmann/json.hpp>

#include <string>

namespace fardel {

using Json = nlohmann::ordered_json;

inline std::string format_json(const Json& value, int indent = 2) {
    return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// Prints the JSON value that `make_json` returns, or else the text that `make_text` returns. Only one of them is
// called.
template <class MakeJson, class MakeText>
Status print_result(Console& console, bool as_json, MakeJson make_json, MakeText make_text) {
    return console.write(as_json ? format_json(make_json()) + "\n" : std::string(make_text()));
}

}  // namespace fardel
