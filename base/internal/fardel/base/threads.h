// What the libraries of a game use of threads. A library without threads (-DFARDEL_PARTS=core) is used by one thread at
// a time, and names nothing of the system's threads.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#ifndef FARDEL_WITHOUT_THREADS
#include <atomic>
#include <bit>
#include <condition_variable>
#include <functional>
#include <thread>
#endif

namespace fardel {

#ifdef FARDEL_WITHOUT_THREADS

class Mutex {
public:
    void lock() noexcept { locked_ = true; }
    bool try_lock() noexcept { return !std::exchange(locked_, true); }
    void unlock() noexcept { locked_ = false; }

private:
    bool locked_ = false;
};

// Nobody else can make the condition true, so nobody waits for one that is not.
class ConditionVariable {
public:
    void notify_one() noexcept {}
    void notify_all() noexcept {}
    template <class Lock>
    void wait(Lock&) noexcept {}
    template <class Lock, class Condition>
    void wait(Lock&, Condition) noexcept {}
};

inline std::uint64_t thread_key() noexcept { return 0; }
inline void yield_thread() noexcept {}
inline void pause_thread(std::chrono::microseconds) noexcept {}
template <class State, class Value>
void wait_while(const State&, Value) noexcept {}
template <class State>
void wake_all(State&) noexcept {}

#else

using Mutex = std::mutex;
using ConditionVariable = std::condition_variable;

// A number of the calling thread, by which threads spread over the slots of a table.
inline std::uint64_t thread_key() noexcept {
    const auto key = [](auto id) {
        if constexpr (sizeof id == sizeof(std::uint64_t))
            return std::bit_cast<std::uint64_t>(id);  // as a rule the address of the thread's stack
        else
            return std::uint64_t{std::hash<std::thread::id>()(id)};
    };
    return key(std::this_thread::get_id());
}
inline void yield_thread() noexcept { std::this_thread::yield(); }
inline void pause_thread(std::chrono::microseconds time) { std::this_thread::sleep_for(time); }

// Waits until the atomic `state` has another value than `value`; whoever changes it calls wake_all().
#ifdef _WIN32
// The system's own way: libstdc++ compares the value before it takes the lock of its waiters, and so may miss a wake-up
// wherever it knows no futex.
void wait_on_address(const void* address, const void* value, std::size_t bytes) noexcept;  // may return early
void wake_by_address(void* address) noexcept;

template <class State, class Value>
void wait_while(const State& state, Value value) noexcept {
    const typename State::value_type expected = value;
    static_assert(State::is_always_lock_free && sizeof state == sizeof expected);
    while (state.load(std::memory_order_acquire) == expected)
        wait_on_address(&state, &expected, sizeof expected);
}
template <class State>
void wake_all(State& state) noexcept {
    wake_by_address(&state);
}
#else
template <class State, class Value>
void wait_while(const State& state, Value value) noexcept {
    state.wait(value, std::memory_order_acquire);
}
template <class State>
void wake_all(State& state) noexcept {
    state.notify_all();
}
#endif

#endif

}  // namespace fardel
