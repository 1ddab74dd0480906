// The seed of a random test: FARDEL_TEST_SEED if that is set, so that a failure can be repeated; else a new one.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>

namespace fardel::tests {

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
