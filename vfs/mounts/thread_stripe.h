// thread_stripe(): a number by which threads spread over the slots of a shared table.
//
// It is computed from the thread's id, so nothing is kept per thread or per process. Two threads may have the same
// number; they then share a slot or look for the next free one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>

namespace fardel {

inline constexpr std::size_t kThreadStripes = 64;

// Below kThreadStripes.
inline std::size_t thread_stripe() noexcept {
    const std::thread::id id = std::this_thread::get_id();
    std::uint64_t key = 0;
    static_assert(sizeof id <= sizeof key);
    std::memcpy(&key, &id, sizeof id);  // as a rule the address of the thread's stack
    // The golden ratio spreads addresses at equal distances, as those of stacks are, evenly.
    return static_cast<std::size_t>(key * 0x9e37'79b9'7f4a'7c15ull >> 58);
}

}  // namespace fardel
