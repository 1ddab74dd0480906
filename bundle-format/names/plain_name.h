// A fast test that accepts nearly all well-formed names without checking each rule.
#pragma once

#include <string_view>

namespace fardel {

// True proves that `text` keeps every rule of docs/names.md; false says nothing.
bool is_plain_name(std::string_view text) noexcept;

// The same without vector instructions: for other processors, and for names of more than 64 bytes. It accepts a few
// more names.
bool is_plain_name_portable(std::string_view text) noexcept;

}  // namespace fardel
