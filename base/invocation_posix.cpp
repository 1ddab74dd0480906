#include <fardel/base/invocation.h>

#include <unistd.h>
#include <algorithm>

#include <cstdlib>

extern char** environ;  // POSIX has it in no header

namespace fardel {

std::vector<std::string> words_of_program(int count, char** words) {
    return std::vector<std::string>(words + std::min(count, 1), words + count);
}

std::string variable(const char* name) {
    const char* const text = std::getenv(name);
    return text != nullptr ? text : "";
}

std::vector<std::pair<std::string, std::string>> variables_with_prefix(std::string_view prefix) {
    std::vector<std::pair<std::string, std::string>> found;
    for (char** line = environ; line != nullptr && *line != nullptr; ++line) {
        const std::string_view text = *line;
        const std::size_t end = text.find('=');
        if (end != std::string_view::npos && text.starts_with(prefix))
            found.emplace_back(text.substr(0, end), text.substr(end + 1));
    }
    std::ranges::sort(found);
    return found;
}

}  // namespace fardel
