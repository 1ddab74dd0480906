// A fuzz target calls require() for each property; if one is broken, abort() reports it to the fuzzer.
#pragma once

#include <cstdlib>

inline void require(bool holds) {
    if (!holds)
        std::abort();
}
