// What a build with -DFARDEL_PORTABLE=ON lacks: what this system has beyond POSIX.
#pragma once

#include <doctest/doctest.h>

#include <string>

namespace fardel::tests {

// Whether what is beyond POSIX is there; says why the case is left out, if it is.
inline bool has_beyond_posix(const char* lacking) {
#ifdef FARDEL_PORTABLE
    MESSAGE("SKIPPED: POSIX has " << std::string(lacking));
    return false;
#else
    static_cast<void>(lacking);
    return true;
#endif
}

inline bool can_watch_folders() { return has_beyond_posix("nothing that watches folders"); }
inline bool can_share_blocks() { return has_beyond_posix("no files that share blocks"); }
inline bool can_read_without_use() { return has_beyond_posix("no reading that leaves a file's time of use"); }

}  // namespace fardel::tests
