// StringTable builds the `strings` table: strings are added first, then the table is sealed and their offsets are
// known.
#pragma once

#include "number_table.h"

#include <fardel/base/result.h>
#include <fardel/format/manifest.h>

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {

class StringTable {
public:
    // Adds a string of at most kStringBytesMax bytes, which must live until seal(). A string may be added repeatedly;
    // this is cheapest if most strings come first and in byte order.
    void add(std::string_view text);

    // Builds the table. Nothing can be added afterwards. Error: limit.
    Status seal();

    // Both after seal(). Returns the offset of an added string; refs have the order of the strings.
    StringRef ref(std::string_view text) const;
    // Returns the table's bytes: each string once, in byte order. Then refs are gone.
    std::vector<std::byte> take_bytes() && { return std::move(bytes_); }

private:
    std::string_view text_at(StringRef ref) const;

    std::vector<std::string_view> texts_;  // each once; empty after seal()
    std::vector<std::byte> bytes_;         // after seal()
    NumberTable numbers_;                  // of texts_; after seal(), refs
};

}  // namespace fardel
