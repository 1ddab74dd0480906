// Text of the console, which Windows passes as UTF-16, whatever code page it has chosen.
#pragma once

#include "system_call_windows.h"

#include <span>

namespace fardel {

// Whether the descriptor is the console's input or output.
bool is_console(const Descriptor& file) noexcept;
// As read_some(): reads a line that was typed, in UTF-8.
Result<std::size_t> read_console(const Descriptor& file, std::span<std::byte> out, std::string_view subject);
// As write_whole(). What is written to the console's input, as to a terminal, appears in its output.
Status write_console(const Descriptor& file, std::string_view text, std::string_view subject);

}  // namespace fardel
