#include <fardel/base/invocation.h>

#include <algorithm>
#include <cstdlib>

namespace fardel {

std::vector<std::string> words_of_program(int count, char** words) {
    return std::vector<std::string>(words + std::min(count, 1), words + count);
}

std::string variable(const char* name) {
    const char* const text = std::getenv(name);
    return text != nullptr ? text : "";
}

}  // namespace fardel
