// A folder that is moved away while a child process works in it, as when a disk is unplugged; for good, or for a while.
#pragma once

#include "failing_call.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

namespace fardel::tests {

#if defined(FARDEL_CAN_FAIL_CALLS)

// Runs `work(folder)` in a child process once per call of its first thread that changes files. As the call begins, the
// folder, which `prepare(folder)` has made, is moved away; the child goes on to its end and must not make it again.
// Then the folder is back for `verify(folder, exit_code)`. Returns the number of runs that did not end with 0.
template <class Prepare, class Work, class Verify>
int for_each_vanished(const std::string& folder, Prepare prepare, Work work, Verify verify) {
    constexpr int kRunsMax = 2000;
    const std::string away = folder + ".away";
    int failures = 0;
    bool paused = true;
    for (int number = 1; paused; ++number) {
        CAPTURE(number);
        REQUIRE(number < kRunsMax);
        std::filesystem::remove_all(folder);
        prepare(folder);
        int exit_code = 0;
        {
            PausedChild child(number, changes_files, [&] { return work(folder); });
            paused = child.is_paused();
            if (paused)
                std::filesystem::rename(folder, away);
            exit_code = child.finish();
        }
        CAPTURE(exit_code);
        failures += exit_code != 0 ? 1 : 0;
        if (paused) {
            CHECK_FALSE(std::filesystem::exists(folder));
            std::filesystem::remove_all(folder);
            std::filesystem::rename(away, folder);
        }
        verify(folder, exit_code);
    }
    return failures;
}

// The same for a folder that is back before the child ends: some calls later, from one to 13, another number for each
// call. Returns the number of runs in which it was back so early.
template <class Prepare, class Work, class Verify>
int for_each_absence(const std::string& folder, Prepare prepare, Work work, Verify verify) {
    constexpr int kRunsMax = 2000;
    constexpr int kCallsAway[] = {1, 2, 3, 5, 8, 13};
    const std::string away = folder + ".away";
    int returns = 0;
    bool paused = true;
    for (int number = 1; paused; ++number) {
        const int calls_away = kCallsAway[number % 6];
        CAPTURE(number);
        CAPTURE(calls_away);
        REQUIRE(number < kRunsMax);
        std::filesystem::remove_all(folder);
        prepare(folder);
        int exit_code = 0;
        {
            PausedChild child(number, changes_files, [&] { return work(folder); });
            paused = child.is_paused();
            if (paused) {
                std::filesystem::rename(folder, away);
                child.go_on(calls_away, changes_files);
                returns += child.is_paused() ? 1 : 0;
                CHECK_FALSE(std::filesystem::exists(folder));
                std::filesystem::remove_all(folder);
                std::filesystem::rename(away, folder);
            }
            exit_code = child.finish();
        }
        CAPTURE(exit_code);
        verify(folder, exit_code);
    }
    return returns;
}

#endif

}  // namespace fardel::tests
