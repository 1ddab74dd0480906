// Scripts: text that an interpreter executes, as far as its beginning shows it.
#pragma once

#include <fardel/format/content_class.h>

#include <cstddef>
#include <span>
#include <string_view>

namespace fardel {

// Script if the text begins as only scripts do, or if two of its lines are statements of a script language; else data.
// An honest guess: a text with neither is not recognised.
ContentFinding find_script(std::span<const std::byte> head);
// Whether no character is one of control, but for spaces and the end of a text of DOS; UTF-16 needs its byte order
// mark.
bool is_readable_text(std::span<const std::byte> head);
// Whether the first character of the text that is no space is one of these.
bool begins_with_one_of(std::span<const std::byte> head, std::string_view characters);

}  // namespace fardel
