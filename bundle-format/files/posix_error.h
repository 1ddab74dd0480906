// What an errno means in Fardel's words. For files only; sockets have their own.
#pragma once

#include <fardel/format/result.h>

#include <string_view>

namespace fardel {

// "<subject>: <the system's sentence>"
Error posix_error(int number, std::string_view subject);

}  // namespace fardel
