// StringTable builds the `strings` table: strings are added first, then the table is sealed and their offsets are
// known.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/manifest.h>

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fardel {

class StringTable {
public:
    // Adds a string of at most kStringBytesMax bytes, which must outlive the table. A string may be added repeatedly;
    // this is cheapest if most strings come first and in byte order.
    void add(std::string_view text);

    // Returns the table's bytes: each string once, in byte order. Nothing can be added afterwards. Error: limit.
    Result<std::vector<std::byte>> seal();

    // Returns the offset of an added string; call it after seal(). Refs have the order of the strings.
    StringRef ref(std::string_view text) const;

private:
    struct Entry {
        std::string_view text;
        StringRef* ref;  // points into refs_, whose nodes never move
    };
    std::unordered_map<std::string_view, StringRef> refs_;
    std::vector<Entry> entries_;
};

}  // namespace fardel
