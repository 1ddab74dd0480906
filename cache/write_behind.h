// WriteBehind: runs work on a thread of its own, in the order of add(), with a bound on the work that waits. If the
// system gives no thread, the callers' threads do the work. From any thread.
#pragma once

#include <fardel/base/parallel.h>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

namespace fardel {

class WriteBehind {
public:
    explicit WriteBehind(std::size_t bytes_max);
    ~WriteBehind();  // waits for the work that has begun; drops the rest
    WriteBehind(const WriteBehind&) = delete;
    WriteBehind& operator=(const WriteBehind&) = delete;

    // Waits until there is room. Work larger than the bound waits until no other is left.
    void add(std::uint64_t bytes, std::function<void()> work);
    // Returns false and does nothing if there is no room.
    bool try_add(std::uint64_t bytes, std::function<void()> work);
    // Waits until all work that was added before is done.
    void flush();

private:
    struct Work {
        std::uint64_t bytes = 0;
        std::function<void()> work;
    };

    bool has_room(std::uint64_t bytes) const {
        return bytes_waiting_ == 0 || bytes <= bytes_max_ - std::min(bytes_max_, bytes_waiting_);
    }
    void push(std::uint64_t bytes, std::function<void()> work);
    void run();
    void run_here(const std::function<void()>& work);

    const std::uint64_t bytes_max_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Work> waiting_;
    std::uint64_t bytes_waiting_ = 0;  // includes the work that has begun
    std::uint64_t added_ = 0;
    std::uint64_t done_ = 0;
    bool stopping_ = false;
    bool has_thread_ = false;  // never changes after construction
    std::mutex run_here_mutex_;
    WorkerThreads thread_;  // last, because it uses the other members
};

}  // namespace fardel
