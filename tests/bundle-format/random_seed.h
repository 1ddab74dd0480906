// The seed of a random test: FARDEL_TEST_SEED if that is set, so that a failure can be run again; else a fresh one.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>

namespace fardel::tests {

inline std::uint64_t random_seed() {
    if (const char* given = std::getenv("FARDEL_TEST_SEED"))
        return std::strtoull(given, nullptr, 0);
    return std::random_device()();
}

}  // namespace fardel::tests

// Makes `random` from a seed that every later failure of the case prints.
#define FARDEL_RANDOM(random)                                           \
    const std::uint64_t random##_seed = ::fardel::tests::random_seed(); \
    INFO("FARDEL_TEST_SEED=" << random##_seed);                         \
    std::mt19937_64 random(random##_seed)
