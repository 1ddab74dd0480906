// Runs work on several threads, as many as the system gives: a thread that cannot be started is no error, since the
// caller's thread takes part.
//
// Work must not throw (except bad_alloc, which ends the program).
#pragma once

#include <fardel/base/result.h>
#include <fardel/base/threads.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#ifndef FARDEL_WITHOUT_THREADS
#include <thread>
#endif

namespace fardel {

inline constexpr unsigned kWorkersMax = 256;

// Returns the number of threads, 1 to `workers_max`, for a user's `jobs`; 0 asks for one per core.
unsigned worker_count(unsigned jobs, unsigned workers_max = kWorkersMax) noexcept;

// Threads that end before the object is destroyed: the destructor requests their stop and joins them. Make it the last
// member, so that the data of the threads outlives them. Only one thread at a time may call its functions.
class WorkerThreads {
public:
    // Starts a thread that runs work() or work(std::stop_token). Returns false if the system gives no more threads.
#ifdef FARDEL_WITHOUT_THREADS
    template <class Work>
    [[nodiscard]] bool try_start(const Work&) {
        return false;
    }
    std::size_t size() const noexcept { return 0; }
    void stop() noexcept {}
#else
    template <class Work>
    [[nodiscard]] bool try_start(Work&& work) {
        try {
            threads_.emplace_back(std::forward<Work>(work));
        } catch (const std::system_error&) {
            return false;
        }
        return true;
    }
    std::size_t size() const noexcept { return threads_.size(); }
    // Asks all threads to stop and waits for their end.
    void stop() noexcept {
        for (std::jthread& thread : threads_)
            thread.request_stop();
        threads_.clear();
    }
#endif
    ~WorkerThreads() { stop(); }
    WorkerThreads() = default;
    WorkerThreads(const WorkerThreads&) = delete;
    WorkerThreads& operator=(const WorkerThreads&) = delete;

private:
#ifndef FARDEL_WITHOUT_THREADS
    std::vector<std::jthread> threads_;
#endif
};

// Runs work() at the same time on up to `workers` threads, including the caller's, and returns when all are done. If
// `own_work` is set, the caller's thread runs that instead, for example a variant that reports progress.
void run_on_threads(unsigned workers, const std::function<void()>& work);
void run_on_threads(unsigned workers, const std::function<void()>& work, const std::function<void()>& own_work);

// Calls work(i) once for each i < count, on up to `workers` threads. Calls begin in ascending order of i.
template <class Work>
void parallel_for(std::size_t count, unsigned workers, const Work& work) {
    std::atomic<std::size_t> next = 0;
    const unsigned wanted = static_cast<unsigned>(std::min<std::size_t>(workers, count));
    run_on_threads(wanted, [&] {
        for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;)
            work(i);
    });
}

// Numbered parts of work, which threads take in ascending order until one fails:
//     while (const auto i = work.take())
//         work.note(*i, do_part(*i));
// Any number of threads may call take() and note().
class OrderedWork {
public:
    explicit OrderedWork(std::size_t count) noexcept : end_(count) {}

    // For run_on_threads: `workers`, or fewer if there are fewer parts.
    unsigned useful_workers(unsigned workers) const noexcept {
        return static_cast<unsigned>(std::min<std::size_t>(workers, end_));
    }

    // nullopt: all are taken, or one of those that were taken has failed.
    std::optional<std::size_t> take() noexcept {
        const std::size_t part = next_.fetch_add(1, std::memory_order_relaxed);
        return part < end_ ? std::optional(part) : std::nullopt;
    }
    void note(std::size_t part, Status done);

    // When all that took parts have ended: the error of the first part that failed. It does not depend on the number of
    // threads, because each part before was taken, too.
    Status finish() && { return error_ ? Status(*std::move(error_)) : ok(); }

private:
    std::atomic<std::size_t> next_ = 0;
    std::atomic<std::size_t> end_;  // the number of parts, or the first that failed
    Mutex mutex_;
    std::optional<Error> error_;
};

// As parallel_for, until work(i) returns an error; those that have begun are finished. Returns the error of the lowest
// i that has one.
template <class Work>
Status try_parallel_for(std::size_t count, unsigned workers, const Work& work) {
    OrderedWork parts(count);
    run_on_threads(parts.useful_workers(workers), [&] {
        while (const auto i = parts.take())
            parts.note(*i, work(*i));
    });
    return std::move(parts).finish();
}

}  // namespace fardel
