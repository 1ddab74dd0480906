// A fast test for names that are plainly well formed, as nearly all are, without checking each rule.
#pragma once

#include <string_view>

namespace fardel {

// True proves that `text` keeps every rule of docs/names.md; false says nothing.
bool is_plain_name(std::string_view text) noexcept;

// The same without vectors: where there are none, and for names of more than 64 bytes. (A few more names pass it.)
bool is_plain_name_portable(std::string_view text) noexcept;

}  // namespace fardel
