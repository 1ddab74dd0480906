// How names in sources are read whose authors had another system: Windows writes "\\" and code pages, macOS decomposed
// accents. By default they are read as they are, and refused.
#pragma once

#include <fardel/base/result.h>

#include <string>
#include <string_view>

namespace fardel {

// `reading` is "exact", "utf-8", or a code page that the system knows, such as "cp437" and "gbk"; any case. Error:
// malformed (the system does not know it).
Status verify_name_reading(std::string_view reading);

// With a reading other than "exact": bytes that are no UTF-8 count as text of the code page, "\\" is "/", and accents
// are composed (NFC). Returns the name as it is if it cannot be read so. `reading` has passed verify_name_reading, or
// is empty.
std::string read_name(std::string_view raw_name, std::string_view reading);

}  // namespace fardel
