// Snapshot: one immutable value that many threads read without a lock while another thread replaces it.
//
// A reader writes the address of the value it uses into a slot (a hazard pointer), checks that the value is still the
// current one, and clears the slot when done: two atomic operations on a cache line that no other thread uses, as a
// rule. replace() swaps the address and waits until no slot holds the old one. Slots are claimed by compare-and-swap,
// beginning at thread_stripe(); if more threads read at one time than there are slots, they wait for each other.
// Why not std::atomic<std::shared_ptr>: in libstdc++ 12 it spins on a bit in the one line that all threads share.
#pragma once

#include "thread_stripe.h"

#include <fardel/base/threads.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

namespace fardel {

template <class T>
class Snapshot {
    static constexpr std::size_t kSlots = kThreadStripes;
    struct alignas(64) Slot {
        std::atomic<const T*> held{nullptr};
    };

public:
    explicit Snapshot(std::shared_ptr<const T> first) : owner_(std::move(first)), current_(owner_.get()) {}
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;

    // The value that was current when the Reader was created. Short-lived: replace() waits for its end.
    class Reader {
    public:
        ~Reader() { slot_->held.store(nullptr, std::memory_order_release); }
        Reader(const Reader&) = delete;
        Reader& operator=(const Reader&) = delete;

        const T& operator*() const noexcept { return *value_; }
        const T* operator->() const noexcept { return value_; }

    private:
        friend class Snapshot;
        Reader(Slot* slot, const T* value) noexcept : slot_(slot), value_(value) {}
        Slot* slot_;
        const T* value_;
    };

    Reader read() const noexcept {
        const T* value = current_.load(std::memory_order_acquire);
        Slot* slot = claim(value);
        // Either the writer sees our slot, or we see the writer's value: all four accesses are sequentially consistent.
        for (const T* now; (now = current_.load(std::memory_order_seq_cst)) != value; value = now)
            slot->held.store(now, std::memory_order_seq_cst);
        return Reader(slot, value);
    }

    // Shared ownership, for work that takes long or calls the user. T derives from enable_shared_from_this<T>.
    std::shared_ptr<const T> share() const { return read()->shared_from_this(); }

    // Returns the old value once no Reader has it. One call at a time (the caller's mutex), and not from a thread that
    // has a Reader.
    std::shared_ptr<const T> replace(std::shared_ptr<const T> next) {
        std::shared_ptr<const T> old = std::exchange(owner_, std::move(next));
        current_.store(owner_.get(), std::memory_order_seq_cst);
        for (const Slot& slot : slots_)
            for (unsigned round = 0; slot.held.load(std::memory_order_seq_cst) == old.get(); ++round) {
                if (round < 64)
                    yield_thread();
                else
                    pause_thread(std::chrono::microseconds(100));
            }
        return old;
    }

private:
    Slot* claim(const T* value) const noexcept {
        for (std::size_t i = thread_stripe();; ++i) {
            const T* empty = nullptr;
            Slot& slot = slots_[i % kSlots];
            if (slot.held.compare_exchange_strong(empty, value, std::memory_order_seq_cst))
                return &slot;
            if (i % kSlots == kSlots - 1)
                yield_thread();
        }
    }

    std::shared_ptr<const T> owner_;  // the writer's
    alignas(64) std::atomic<const T*> current_;
    mutable std::array<Slot, kSlots> slots_;
};

}  // namespace fardel
