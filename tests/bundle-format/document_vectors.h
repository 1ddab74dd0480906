// Reads the hex vectors of a page of docs/: blocks that are fenced as "```hex <name>".
#pragma once

#include "kit/test.h"

#include <cstring>
#include <map>

namespace fardel::tests {

// Reads docs/<page>. Fails the running test when the page or a vector is not readable.
std::map<std::string, std::vector<std::byte>, std::less<>> read_document_vectors(std::string_view page);

// `Fixed` is an id, a hash, a key or a signature.
template <class Fixed>
Fixed fixed_from(const std::vector<std::byte>& bytes) {
    Fixed value;
    REQUIRE(bytes.size() == value.bytes.size());
    std::memcpy(value.bytes.data(), bytes.data(), bytes.size());
    return value;
}

}  // namespace fardel::tests
