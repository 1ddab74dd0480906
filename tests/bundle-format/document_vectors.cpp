#include "document_vectors.h"

#include "kit/bytes.h"

#include <fstream>

namespace fardel::tests {
std::map<std::string, std::vector<std::byte>, std::less<>> read_document_vectors(std::string_view page) {
    std::ifstream in(std::string(FARDEL_SOURCE_DIR) + "/docs/" + std::string(page));
    REQUIRE_MESSAGE(in.good(), "docs/" << page << " cannot be read");
    constexpr std::string_view kFence = "```hex ";
    std::map<std::string, std::vector<std::byte>, std::less<>> vectors;
    std::vector<std::byte>* open = nullptr;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with(kFence)) {
            const auto placed = vectors.try_emplace(line.substr(kFence.size()));
            REQUIRE_MESSAGE(placed.second, "two vectors are called " << placed.first->first);
            open = &placed.first->second;
        } else if (line.starts_with("```")) {
            open = nullptr;
        } else if (open) {
            REQUIRE(line.size() % 2 == 0);
            REQUIRE(line.find_first_not_of("0123456789abcdef") == std::string::npos);
            const Bytes bytes = bytes_of_hex(line);
            open->insert(open->end(), bytes.begin(), bytes.end());
        }
    }
    return vectors;
}

}  // namespace fardel::tests
