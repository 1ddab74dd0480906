#include "write_behind.h"

#include <utility>

namespace fardel {

WriteBehind::WriteBehind(std::size_t bytes_max) : bytes_max_(bytes_max) {
    has_thread_ = thread_.try_start([this] { run(); });
}

WriteBehind::~WriteBehind() {
    {
        const std::scoped_lock lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    thread_.stop();
}

void WriteBehind::add(std::uint64_t bytes, std::function<void()> work) {
    if (!has_thread_)
        return run_here(work);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return has_room(bytes); });
    push(bytes, std::move(work));
}

bool WriteBehind::try_add(std::uint64_t bytes, std::function<void()> work) {
    if (!has_thread_) {
        run_here(work);
        return true;
    }
    const std::scoped_lock lock(mutex_);
    if (!has_room(bytes))
        return false;
    push(bytes, std::move(work));
    return true;
}

void WriteBehind::push(std::uint64_t bytes, std::function<void()> work) {
    waiting_.push_back({.bytes = bytes, .work = std::move(work)});
    bytes_waiting_ += bytes;
    ++added_;
    changed_.notify_all();
}

void WriteBehind::flush() {
    if (!has_thread_)
        return;  // add() has done its work before it returned
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, wanted = added_] { return done_ >= wanted; });
}

// One at a time, as on the thread.
void WriteBehind::run_here(const std::function<void()>& work) {
    const std::scoped_lock lock(run_here_mutex_);
    work();
}

void WriteBehind::run() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
        if (stopping_)
            return;
        Work next = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        next.work();
        next.work = nullptr;  // releases what it owns before the work counts as done
        lock.lock();
        bytes_waiting_ -= next.bytes;
        ++done_;
        changed_.notify_all();
    }
}

}  // namespace fardel
