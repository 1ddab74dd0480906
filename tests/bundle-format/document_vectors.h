// Reads the hex vectors of a page of docs/: blocks that are fenced as "```hex <name>".
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fardel::tests {

// Reads docs/<page>. Fails the running test when the page or a vector is not readable.
std::map<std::string, std::vector<std::byte>, std::less<>> read_document_vectors(std::string_view page);

}  // namespace fardel::tests
