// WriteBehind: a thread that does work in the order in which it came, and a bound on what waits for it.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace fardel {

class WriteBehind {
public:
    explicit WriteBehind(std::size_t bytes_max);  // may throw what std::thread does
    ~WriteBehind();                               // finishes what is being done; the rest is given up
    WriteBehind(const WriteBehind&) = delete;
    WriteBehind& operator=(const WriteBehind&) = delete;

    // Waits until there is room; something larger than the bound waits until nothing else is there.
    void add(std::uint64_t bytes, std::function<void()> work);
    // False, and nothing is added: there is no room.
    bool try_add(std::uint64_t bytes, std::function<void()> work);
    // Waits until all that was added before is done.
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

    const std::uint64_t bytes_max_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Work> waiting_;
    std::uint64_t bytes_waiting_ = 0;  // what is being done included
    std::uint64_t added_ = 0;
    std::uint64_t done_ = 0;
    bool stopping_ = false;
    std::thread thread_;  // last: it uses the rest
};

}  // namespace fardel
