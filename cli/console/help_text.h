// Help texts, fitted to the terminal that shows them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fardel {

// How many columns a help text has: those of the terminal, within bounds; 80 elsewhere.
std::size_t help_columns() noexcept;
// The column of the descriptions in a list of options.
std::size_t description_column() noexcept;

// Breaks the lines between words. What follows the first gap of a line that begins with two spaces is a description:
// its further lines begin below it. Examples stay as they are: people copy them.
std::string fit_help(std::string_view help);

}  // namespace fardel
