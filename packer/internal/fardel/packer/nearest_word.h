// Finds the word that a person probably meant. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fardel {

// The word of `known` with the fewest edits (a letter more, less or different, or two letters swapped); nothing if all
// words differ too much.
std::optional<std::string_view> find_nearest_word(std::string_view word, std::span<const std::string_view> known);

// Returns "did you mean 'nearest'?", or `list` and all known words if no word is near.
std::string suggest_word(std::string_view word, std::span<const std::string_view> known, std::string_view list);

}  // namespace fardel
