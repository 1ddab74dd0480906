// Names that a file system with 8.3 aliases confuses: one with a part that FAT or NTFS may generate as the second name
// of another, longer part of the same folder, such as "PROGRA~1" beside "Program Files" (rule N10 of docs/names.md).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace fardel {

// Two names, by their numbers.
struct ShortAlias {
    std::size_t alias = 0;
    std::size_t of = 0;  // one of those whose part is meant
    friend bool operator==(const ShortAlias&, const ShortAlias&) = default;
};

// Returns each name with such a part once, in the order of the names that they are confused with. `text_of` gives
// well-formed names, and nothing for a number that has none; it is called twice per number below `count`. Time and
// memory grow with the sum of the names' sizes.
std::vector<ShortAlias> find_short_aliases(std::size_t count,
                                           const std::function<std::optional<std::string_view>(std::size_t)>& text_of);

}  // namespace fardel
