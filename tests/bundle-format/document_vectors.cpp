#include "document_vectors.h"

#include <doctest/doctest.h>

#include <fstream>

namespace fardel::tests {
namespace {

int digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

}  // namespace

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
            for (std::size_t i = 0; i < line.size(); i += 2) {
                REQUIRE(digit(line[i]) >= 0);
                REQUIRE(digit(line[i + 1]) >= 0);
                open->push_back(static_cast<std::byte>(digit(line[i]) * 16 + digit(line[i + 1])));
            }
        }
    }
    return vectors;
}

}  // namespace fardel::tests
