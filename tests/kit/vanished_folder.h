// A folder that is moved away while a child process works in it, as when a disk is unplugged; for good, or for a while.
#pragma once

#include "failing_call.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

namespace fardel::tests {

#if defined(FARDEL_CAN_FAIL_CALLS)

// A folder that is elsewhere as long as the object lives, and must not be made again meanwhile.
class AwayFolder {
public:
    explicit AwayFolder(const std::string& folder) : folder_(folder) {
        std::filesystem::rename(folder_, folder_ + ".away");
    }
    ~AwayFolder() {
        CHECK_FALSE(std::filesystem::exists(folder_));
        std::filesystem::remove_all(folder_);
        std::filesystem::rename(folder_ + ".away", folder_);
    }
    AwayFolder(const AwayFolder&) = delete;
    AwayFolder& operator=(const AwayFolder&) = delete;

private:
    const std::string folder_;
};

// Runs `work(folder)` in a child process once per call of its first thread that changes files. As the call begins,
// `move(child, number)` does something to the folder, which `prepare(folder)` has made, and returns the exit code of
// the child; then `verify(folder, exit_code)` follows.
template <class Prepare, class Work, class Move, class Verify>
void for_each_changing_call(const std::string& folder, Prepare prepare, Work work, Move move, Verify verify) {
    constexpr int kRunsMax = 2000;
    bool paused = true;
    for (int number = 1; paused; ++number) {
        CAPTURE(number);
        REQUIRE(number < kRunsMax);
        std::filesystem::remove_all(folder);
        prepare(folder);
        PausedChild child(number, changes_files, [&] { return work(folder); });
        paused = child.is_paused();
        const int exit_code = paused ? move(child, number) : child.finish();
        CAPTURE(exit_code);
        verify(folder, exit_code);
    }
}

// The folder is away until the child ends. Returns the number of runs that did not end with 0.
template <class Prepare, class Work, class Verify>
int for_each_vanished(const std::string& folder, Prepare prepare, Work work, Verify verify) {
    int failures = 0;
    const auto move = [&](PausedChild& child, int) {
        const AwayFolder away(folder);
        const int exit_code = child.finish();
        failures += exit_code != 0 ? 1 : 0;
        return exit_code;
    };
    for_each_changing_call(folder, prepare, work, move, verify);
    return failures;
}

// The folder is back before the child ends: some calls later, from one to 13, another number for each call. Returns the
// number of runs in which it was back so early.
template <class Prepare, class Work, class Verify>
int for_each_absence(const std::string& folder, Prepare prepare, Work work, Verify verify) {
    constexpr int kCallsAway[] = {1, 2, 3, 5, 8, 13};
    int returns = 0;
    const auto move = [&](PausedChild& child, int number) {
        {
            const AwayFolder away(folder);
            child.go_on(kCallsAway[number % 6], changes_files);
            returns += child.is_paused() ? 1 : 0;
        }
        return child.finish();
    };
    for_each_changing_call(folder, prepare, work, move, verify);
    return returns;
}

#endif

}  // namespace fardel::tests
