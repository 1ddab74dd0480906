// What a fuzz target calls for each promise; a broken one ends the process, which is how a fuzzer is told.
#pragma once

#include <cstdlib>

inline void require(bool holds) {
    if (!holds)
        std::abort();
}
