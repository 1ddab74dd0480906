// Questions that a person at the terminal answers with yes or no.
#pragma once

#include "console.h"

#include <fardel/base/descriptor.h>
#include <fardel/base/result.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace fardel {

// Whether somebody is there: standard input and standard output are terminals.
bool can_ask() noexcept;

// Shows "<question> [Y/n] " after what the console has written, and waits for a line. Enter, "y" and "yes" mean yes,
// any other line and the end of input mean no. What was typed before the question is no answer to it. An Interrupt must
// exist. Errors: cancelled (Ctrl-C was pressed), those of open_terminal and of the console.
Result<bool> ask(std::string_view question, Console& console);
// The same with "[y/N]": only "y" and "yes" mean yes. For what is dangerous.
Result<bool> ask_carefully(std::string_view question, Console& console);

// Reads one byte that is typed, or none at the end. Errors: cancelled (Ctrl-C was pressed; an Interrupt must exist),
// those of read_some.
Result<std::size_t> read_typed_byte(const Descriptor& file, std::byte& out, const std::string& subject);

}  // namespace fardel
