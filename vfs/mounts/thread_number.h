// A small number for each thread, by which threads spread over slots of shared tables.
#pragma once

#include <atomic>
#include <cstddef>

namespace fardel {

// Threads started one after the other get neighbouring ones.
inline std::size_t thread_number() noexcept {
    static std::atomic<std::size_t> next{0};
    thread_local const std::size_t number = next.fetch_add(1, std::memory_order_relaxed);
    return number;
}

}  // namespace fardel
