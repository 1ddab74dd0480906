// StringTable: the `strings` table while it is built: first everything that is to be in it, then where each string is.
#pragma once

#include <fardel/format/manifest.h>
#include <fardel/format/result.h>

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fardel {

class StringTable {
public:
    // At most kStringBytesMax bytes, which outlive the table. Any number of times; cheapest when most come
    // first and in byte order.
    void add(std::string_view text);

    // The table's bytes: each string once, in byte order. Nothing can be added after it. Error: limit.
    Result<std::vector<std::byte>> seal();

    // Where a string that was added is; after seal(). Refs are in the order of the strings.
    StringRef ref(std::string_view text) const;

private:
    struct Entry {
        std::string_view text;
        StringRef* ref;  // in refs_, whose nodes stay where they are
    };
    std::unordered_map<std::string_view, StringRef> refs_;
    std::vector<Entry> entries_;
};

}  // namespace fardel
