// work_in_order: work on many threads whose results one thread receives in order, with a bounded number under way.
#pragma once

#include <fardel/base/parallel.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <vector>

namespace fardel {

// Calls work(i, slot) for each i < count, in any order, on up to `jobs` ≥ 1 threads, or on the caller's thread if none
// can be started; and receive(i, slot) on the caller's thread with i rising. A slot belongs to one item from work() to
// receive(); its memory is reused. Returns false if stopped before the end.
template <class Slot, class Work, class Receive>
bool work_in_order(std::uint64_t count, unsigned jobs, const std::stop_token& stop, const Work& work,
                   const Receive& receive) {
    struct Cell {
        Slot slot;
        bool done = false;
    };
    std::vector<Cell> cells(std::size_t{jobs} * 2 + 1);
    std::mutex mutex;
    std::condition_variable free_cell;
    std::condition_variable done_cell;
    std::uint64_t next = 0;  // the first item that no thread has begun
    std::uint64_t received = 0;
    bool stopped = false;

    const auto run = [&] {
        std::unique_lock lock(mutex);
        for (;;) {
            free_cell.wait(lock, [&] { return stopped || next == count || next < received + cells.size(); });
            if (stopped || next == count)
                return;
            const std::uint64_t i = next++;
            Cell& cell = cells[i % cells.size()];
            lock.unlock();
            work(i, cell.slot);
            lock.lock();
            cell.done = true;
            if (i == received)
                done_cell.notify_one();
        }
    };
    WorkerThreads threads;
    for (unsigned t = 0; jobs > 1 && t < jobs && t < count; ++t)
        if (!threads.try_start(run))
            break;
    if (threads.size() == 0) {
        Slot slot;
        for (std::uint64_t i = 0; i < count; ++i) {
            if (stop.stop_requested())
                return false;
            work(i, slot);
            receive(i, slot);
        }
        return true;
    }

    for (std::uint64_t i = 0; i < count; ++i) {
        Cell& cell = cells[i % cells.size()];
        {
            std::unique_lock lock(mutex);
            done_cell.wait(lock, [&] { return cell.done; });
            if (stop.stop_requested()) {
                stopped = true;
                free_cell.notify_all();
                return false;  // each thread first completes its item
            }
        }
        receive(i, cell.slot);
        std::unique_lock lock(mutex);
        cell.done = false;
        ++received;
        free_cell.notify_one();
    }
    free_cell.notify_all();
    return true;
}

}  // namespace fardel
