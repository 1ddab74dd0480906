// The word that somebody probably meant. Pure.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace fardel {

// Of `known` the one that is fewest edits away (a letter more, less, other, or two swapped); nothing if all are too
// far.
std::optional<std::string_view> find_nearest_word(std::string_view word, std::span<const std::string_view> known);

}  // namespace fardel
