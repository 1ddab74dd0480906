// RequestHead: whether the head of a request is one that every program reads alike. libmicrohttpd gives texts that end
// with a NUL, which are in the bytes that it received: what it has cut off, or joined, is seen between them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {

struct RequestHead {
    const char* method = nullptr;  // its first byte is the first of the head
    std::size_t head_bytes = 0;
    std::string_view asked;  // the target up to a NUL, before the library resolved anything in it
    const char* target = nullptr;
    const char* version = nullptr;
    std::vector<std::pair<const char*, const char*>> fields;  // names and values, in the order in which they came

    // The target as it came, also behind a NUL.
    std::string whole_target() const;
    // False: a byte of it is a control character, or a text is not where the head has it.
    bool is_plain() const;

private:
    std::size_t target_bytes() const;  // 0: the texts are not where they should be
};

// "/path" or "/path?query", of printable ASCII: neither "http://host/path" nor "*", no "#", and behind each "%" two
// digits.
bool is_origin_form(std::string_view target);

}  // namespace fardel
