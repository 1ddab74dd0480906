// What the mains of Fardel's own confined programs (own_program.h) share. Included by these mains only, because it
// defines a function.
#pragma once

#include <fardel/base/sanitizers.h>

namespace fardel {

// Exit statuses besides 0.
inline constexpr int kOwnProgramFailed = 1;        // the program has reported an error
inline constexpr int kOwnProgramBadArguments = 2;  // it was started by somebody else, or by another version

}  // namespace fardel

#if FARDEL_ADDRESS_SANITIZER
// The check for leaks reads /proc, which the sandbox denies.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
#endif
