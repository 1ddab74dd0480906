// Runs the program with another clock, through Debian's faketime.
#pragma once

#include "program.h"

#include <fardel/base/sanitizers.h>

#include <doctest/doctest.h>

#include <string>

namespace fardel::tests {

// A library that is loaded before all others takes the place of a sanitizer's.
inline bool can_move_clock() {
    if (kSanitized)
        MESSAGE("SKIPPED: faketime is loaded before the program, which a sanitizer does not allow");
    return !kSanitized;
}

// `moved`: "-35d", "+40d". What the program waits for takes as long as ever.
inline Outcome run_with_moved_clock(const std::string& moved, const Arguments& arguments, Surroundings surroundings) {
    Arguments words{"faketime", "-f", moved, FARDEL_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    surroundings.variables.emplace_back("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    const Outcome outcome = run_program(words, surroundings);
    REQUIRE_MESSAGE(outcome.exit_code != 126, "setup/install-dependencies installs faketime");
    return outcome;
}

}  // namespace fardel::tests
