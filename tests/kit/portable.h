// What a build with -DFARDEL_PORTABLE=ON lacks: what this system has beyond POSIX.
#pragma once

#include <doctest/doctest.h>

namespace fardel::tests {

// Says why the case is left out, if it is.
inline bool can_watch_folders() {
#ifdef FARDEL_PORTABLE
    MESSAGE("SKIPPED: POSIX has nothing that watches folders");
    return false;
#else
    return true;
#endif
}

}  // namespace fardel::tests
