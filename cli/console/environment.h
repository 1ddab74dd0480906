// Variables of the environment.
#pragma once

#include <cstdlib>
#include <string>

namespace fardel {

// Empty if it is not set.
inline std::string variable(const char* name) {
    const char* const text = std::getenv(name);
    return text != nullptr ? text : "";
}

}  // namespace fardel
