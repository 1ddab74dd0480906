// What an errno means in Fardel's words, for folders that may be on the other side of a network.
#pragma once

#include <fardel/format/result.h>

#include <string_view>

namespace fardel {

// "<subject>: <the system's sentence>"
Error file_error(int number, std::string_view subject);

}  // namespace fardel
