// The texts of the scripts in this folder, which cmake compiles into the program.
#pragma once

#include <string_view>

namespace fardel {

std::string_view bash_completion() noexcept;
std::string_view zsh_completion() noexcept;
std::string_view fish_completion() noexcept;

}  // namespace fardel
