// Work on several threads, with as many as the system gives: a thread that cannot be started is no error, since the
// caller's thread takes part.
//
// Work must not throw (except bad_alloc, which ends the program).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace fardel {

inline constexpr unsigned kWorkersMax = 256;

// How many threads to use where a user asked for `jobs`; 0 asks for one per core. From 1 to `workers_max`.
unsigned worker_count(unsigned jobs, unsigned workers_max = kWorkersMax) noexcept;

// Threads that end before the object does: their stop is requested, then they are joined. Make it the last member, so
// that what the threads use outlives them. One thread at a time may call.
class WorkerThreads {
public:
    // Starts a thread that runs work(), or work(std::stop_token). False: the system gives no more threads.
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
    // Requests the stop of all threads, and waits for their end.
    void stop() noexcept {
        for (std::jthread& thread : threads_)
            thread.request_stop();
        threads_.clear();
    }
    ~WorkerThreads() { stop(); }
    WorkerThreads() = default;
    WorkerThreads(const WorkerThreads&) = delete;
    WorkerThreads& operator=(const WorkerThreads&) = delete;

private:
    std::vector<std::jthread> threads_;
};

// Runs work() at the same time on up to `workers` threads, the caller's among them, and returns when all have. The
// caller's thread runs `own_work` if that is given: a variant that reports progress, say.
void run_on_threads(unsigned workers, const std::function<void()>& work);
void run_on_threads(unsigned workers, const std::function<void()>& work, const std::function<void()>& own_work);

// Calls work(i) once for each i < count, on up to `workers` threads, in rising order of their beginning.
template <class Work>
void parallel_for(std::size_t count, unsigned workers, const Work& work) {
    std::atomic<std::size_t> next = 0;
    const unsigned wanted = static_cast<unsigned>(std::min<std::size_t>(workers, count));
    run_on_threads(wanted, [&] {
        for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;)
            work(i);
    });
}

}  // namespace fardel
