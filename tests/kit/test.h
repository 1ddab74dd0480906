// What every test includes: doctest; the standard headers that most tests need, which no test names again; bytes, the
// values and errors of results, questions about text, waiting for what is going to happen, and random seeds that a
// failure prints.
#pragma once

#include "bytes.h"

#include <fardel/base/result.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace fardel::tests {

// `Outcome` is a Result or a Status.
template <class Outcome>
void require_good(const Outcome& outcome) {
    REQUIRE_MESSAGE(outcome, (outcome ? "" : outcome.error().text()));
}

template <class T>
T value_of(Result<T> result) {
    require_good(result);
    return *std::move(result);
}

template <class Value>
Status status_of(const Result<Value>& result) {
    return result ? ok() : Status(result.error());
}

template <class Outcome>
ErrorCode code_of(const Outcome& outcome) {
    REQUIRE_FALSE(outcome);
    return outcome.error().code();
}

// Checks the error's code, and that its message contains `words`.
template <class Outcome>
void check_error(const Outcome& outcome, ErrorCode code, std::string_view words) {
    REQUIRE_FALSE(outcome);
    INFO(outcome.error().message());
    CHECK(outcome.error().code() == code);
    CHECK(outcome.error().message().find(words) != std::string::npos);
}

inline bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Shows all of `text` if `part` is missing.
inline void check_has(std::string_view text, std::string_view part) {
    CHECK_MESSAGE(has(text, part), "no \"" << std::string(part) << "\" in: " << std::string(text));
}

// The text with its first `from`, which has to be there, replaced.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

// As an editor or version control of Windows writes the text.
inline std::string with_windows_ends(std::string_view text) {
    std::string changed;
    for (const char c : text)
        changed += c == '\n' ? std::string("\r\n") : std::string(1, c);
    return changed;
}

// A last line without line feed counts, too.
inline std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

// Waits until `holds()` is true. Returns whether it became true in time.
template <class Condition>
bool wait_until(const Condition& holds, std::chrono::seconds patience = std::chrono::seconds(60)) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!holds()) {
        if (std::chrono::steady_clock::now() > deadline)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

// The seed of a random test: FARDEL_TEST_SEED if that is set, so that a failure can be repeated; else a new one.
inline std::optional<std::uint64_t> given_seed() {
    if (const char* given = std::getenv("FARDEL_TEST_SEED"))
        return std::strtoull(given, nullptr, 0);
    return std::nullopt;
}

inline std::uint64_t random_seed() {
    const auto given = given_seed();
    return given ? *given : std::random_device()();
}

}  // namespace fardel::tests

// Defines `random`, seeded with a number that every later failure of the case prints.
#define FARDEL_RANDOM(random)                                           \
    const std::uint64_t random##_seed = ::fardel::tests::random_seed(); \
    INFO("FARDEL_TEST_SEED=" << random##_seed);                         \
    std::mt19937_64 random(random##_seed)
