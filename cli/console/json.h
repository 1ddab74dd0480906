// What `--json` prints. Shapes are in the man pages; keys keep their order; text that is not UTF-8 is shown with
// U+FFFD.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace fardel {

using Json = nlohmann::ordered_json;

inline std::string format_json(const Json& value, int indent = 2) {
    return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace fardel
