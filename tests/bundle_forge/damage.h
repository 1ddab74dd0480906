// Damages bytes at every position; shared by the exhaustive tests of reader and verifier.
#pragma once

#include "bundle_forge/bundle_forge.h"

#include <fardel/base/sanitizers.h>

#include <atomic>
#include <cstddef>
#include <thread>

namespace fardel::forge {

inline Bytes flipped(Bytes bytes, std::size_t bit) {
    bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    return bytes;
}

inline Bytes changed(Bytes bytes, std::size_t at, unsigned value) {
    bytes.at(at) = static_cast<std::byte>(value);
    return bytes;
}

inline Bytes joined(Bytes bytes, const Bytes& more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
    return bytes;
}

inline Bytes cut_to(const Bytes& bytes, std::size_t size) {
    return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)};
}

// Builds without a sanitizer see every position. One with a sanitizer looks for what these cannot see, and every third
// position leads through the same code.
inline constexpr std::size_t kDamageStep = kSanitized ? 3 : 1;

// Calls check(i) for i < count, in steps of kDamageStep, on two threads; returns an i for which it returns false, or
// count.
template <class Check>
std::size_t first_failure(std::size_t count, const Check& check) {
    std::atomic<std::size_t> next = 0;
    std::atomic<std::size_t> failed = count;
    const auto run = [&] {
        for (std::size_t i = next.fetch_add(kDamageStep); i < count && failed == count; i = next.fetch_add(kDamageStep))
            if (!check(i))
                failed = i;
    };
    {
        const std::jthread other(run);
        run();
    }
    return failed;
}

// Calls check(bit) for every bit of bytes [from, to); under a sanitizer for one bit of a byte, a different one from
// byte to byte, in steps of kDamageStep. Returns a bit for which it returns false, or `to` × 8.
template <class Check>
std::size_t first_failing_bit(std::size_t from, std::size_t to, const Check& check) {
    const auto bit_of = [from](std::size_t i) { return kSanitized ? (from + i) * 8 + (from + i) % 8 : from * 8 + i; };
    const std::size_t count = (to - from) * (kSanitized ? 1 : 8);
    const std::size_t failed = first_failure(count, [&](std::size_t i) { return check(bit_of(i)); });
    return failed == count ? to * 8 : bit_of(failed);
}

}  // namespace fardel::forge
