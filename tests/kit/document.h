// Blocks of the documents, for tests that do what a document says.
#pragma once

#include "files.h"

#include <string>

namespace fardel::tests {

// Returns the first block that is fenced as "```<fence>". Fails the test if there is none.
inline std::string document_block(const std::filesystem::path& document, const std::string& fence) {
    const std::string text = read_file(document);
    const std::string start = "```" + fence + "\n";
    const auto begin = text.find(start);
    REQUIRE(begin != std::string::npos);
    const auto end = text.find("```", begin + start.size());
    REQUIRE(end != std::string::npos);
    return text.substr(begin + start.size(), end - begin - start.size());
}

}  // namespace fardel::tests
