// Whether this process runs in an emulator of another processor (qemu-user), which is not the kernel that tests expect.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

namespace fardel::tests {

#ifdef FARDEL_EMULATED
inline constexpr bool kEmulated = true;
#else
inline constexpr bool kEmulated = false;
#endif

// The step of a loop over all bytes or bits of something large: an emulator sees some of them.
inline constexpr std::size_t kEachOf = kEmulated ? 37 : 1;

// Says why the case is left out, if it is.
inline bool is_left_out_in_emulator(const char* reason) {
    if (kEmulated)
        MESSAGE("SKIPPED: in the emulator, " << std::string(reason));
    return kEmulated;
}

// The same where Wine stands in for Windows, in which each file takes milliseconds.
inline bool is_left_out_in_wine([[maybe_unused]] const char* reason) {
#ifdef _WIN32
    MESSAGE("SKIPPED: in Wine, " << std::string(reason));
    return true;
#else
    return false;
#endif
}

// qemu-user forks where a program is spawned, so that the parent does not learn that its child found no program.
inline bool can_see_missing_programs() {
    return !is_left_out_in_emulator("a program that does not exist seems to start");
}

inline bool can_make_links() {
#ifdef _WIN32
    MESSAGE("SKIPPED: Wine makes no symbolic links");
    return false;
#else
    return true;
#endif
}

// Whether the mode of a file says who may write to it.
inline bool has_modes() {
#ifdef _WIN32
    MESSAGE("SKIPPED: files on Windows have no modes");
    return false;
#else
    return true;
#endif
}

// Whether a file that is open loses its name when it is removed.
inline bool can_remove_open_files() {
#ifdef _WIN32
    MESSAGE("SKIPPED: in Wine, a removed file keeps its name until it is closed, and its folder stays");
    return false;
#else
    return true;
#endif
}

// Whether a file has its name at every moment while programs replace it.
inline bool can_replace_at_once() {
#ifdef _WIN32
    MESSAGE("SKIPPED: Wine replaces a file in two steps, and between them it has no name");
    return false;
#else
    return true;
#endif
}

// Whether a file can be given a time of use in the past.
inline bool can_set_used_times() {
#ifdef _WIN32
    MESSAGE("SKIPPED: in Wine, a file whose times are set counts as read a moment later");
    return false;
#else
    return true;
#endif
}

// Whether a folder may have files whose names differ in case only.
inline bool can_tell_cases_apart() {
#ifdef _WIN32
    MESSAGE("SKIPPED: files on Windows have one name in any case");
    return false;
#else
    return true;
#endif
}

}  // namespace fardel::tests
