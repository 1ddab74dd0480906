// StringTable builds the `strings` table: strings are added first, then the table is sealed and their offsets are
// known.
#pragma once

#include "number_table.h"

#include <fardel/base/result.h>
#include <fardel/format/manifest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace fardel {

class StringTable {
public:
    // Makes room for `count` strings.
    void reserve(std::size_t count);
    // Adds a string of at most kStringBytesMax bytes, which must outlive the table. A string may be added repeatedly;
    // this is cheapest if most strings come first and in byte order.
    void add(std::string_view text);

    // Builds the table. Nothing can be added afterwards. Error: limit.
    Status seal();

    // All after seal(). Returns the offset of an added string; refs have the order of the strings.
    StringRef ref(std::string_view text) const;
    // What is in the table, each string once, in byte order; and how many bytes they take there.
    std::span<const std::string_view> texts() const noexcept { return texts_; }
    std::uint64_t length_bytes() const noexcept { return length_bytes_; }

private:
    std::vector<std::string_view> texts_;  // each once
    std::vector<StringRef> refs_;          // of texts_, after seal()
    std::uint64_t length_bytes_ = 0;
    NumberTable numbers_;  // of texts_
};

// Appends a string as it is in the table.
void append_string(std::string_view text, std::vector<std::byte>& bytes);

}  // namespace fardel
