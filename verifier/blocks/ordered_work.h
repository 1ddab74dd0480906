// Work on many threads whose results are taken in order on one, with a bounded number under way.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace fardel {

// work(i, slot) for each i < count, on `jobs` ≥ 1 threads, any order; then take(i, slot) on the caller's thread, i
// rising. A slot is one item's alone until it has been taken; its memory is used again. False: stopped before the end.
template <class Slot, class Work, class Take>
bool work_in_order(std::uint64_t count, unsigned jobs, const std::stop_token& stop, const Work& work,
                   const Take& take) {
    if (jobs == 1) {
        Slot slot;
        for (std::uint64_t i = 0; i < count; ++i) {
            if (stop.stop_requested())
                return false;
            work(i, slot);
            take(i, slot);
        }
        return true;
    }

    struct Cell {
        Slot slot;
        bool done = false;
    };
    std::vector<Cell> cells(std::size_t{jobs} * 2 + 1);
    std::mutex mutex;
    std::condition_variable free_cell;
    std::condition_variable done_cell;
    std::uint64_t next = 0;  // to be begun
    std::uint64_t taken = 0;
    bool stopped = false;

    const auto run = [&] {
        std::unique_lock lock(mutex);
        for (;;) {
            free_cell.wait(lock, [&] { return stopped || next == count || next < taken + cells.size(); });
            if (stopped || next == count)
                return;
            const std::uint64_t i = next++;
            Cell& cell = cells[i % cells.size()];
            lock.unlock();
            work(i, cell.slot);
            lock.lock();
            cell.done = true;
            if (i == taken)
                done_cell.notify_one();
        }
    };
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < jobs && t < count; ++t)
        threads.emplace_back(run);

    for (std::uint64_t i = 0; i < count; ++i) {
        Cell& cell = cells[i % cells.size()];
        {
            std::unique_lock lock(mutex);
            done_cell.wait(lock, [&] { return cell.done; });
            if (stop.stop_requested()) {
                stopped = true;
                free_cell.notify_all();
                return false;  // the threads end with what they have begun
            }
        }
        take(i, cell.slot);
        std::unique_lock lock(mutex);
        cell.done = false;
        ++taken;
        free_cell.notify_one();
    }
    free_cell.notify_all();
    return true;
}

}  // namespace fardel
