// Threads of Fardel's own as an executor, and work that a caller shares with any executor.
#include <fardel/base/executor.h>

#include <fardel/base/threads.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <utility>

#ifndef FARDEL_WITHOUT_THREADS
#include <deque>
#include <system_error>
#include <thread>
#include <vector>
#endif

namespace fardel {
namespace {

// What the caller and the tasks of one share_work() have in common. A task that begins when the call has returned finds
// it closed, and touches neither the work nor anything that the work refers to.
class SharedWork {
public:
    SharedWork(std::size_t count, const std::function<void(std::size_t)>& work) noexcept : count_(count), work_(work) {}

    void work() {
        std::exception_ptr thrown;
        try {
            for (std::size_t i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < count_;)
                work_(i);
        } catch (...) {
            thrown = std::current_exception();
        }
        if (!thrown)
            return;
        next_.store(count_, std::memory_order_relaxed);
        const std::scoped_lock lock(mutex_);
        thrown_ = std::move(thrown);  // so that only the caller's thread releases it
    }

    void work_as_task() {
        {
            const std::scoped_lock lock(mutex_);
            if (closed_)
                return;
            ++running_;
        }
        work();
        const std::scoped_lock lock(mutex_);
        if (--running_ == 0 && closed_)
            ended_.notify_all();
    }

    // Waits for the tasks that have begun, and throws what one of them has thrown.
    void close() {
        std::unique_lock lock(mutex_);
        closed_ = true;
        ended_.wait(lock, [this] { return running_ == 0; });
        if (thrown_)
            std::rethrow_exception(std::exchange(thrown_, nullptr));
    }

private:
    const std::size_t count_;
    const std::function<void(std::size_t)>& work_;
    std::atomic<std::size_t> next_{0};
    Mutex mutex_;
    ConditionVariable ended_;
    std::size_t running_ = 0;
    bool closed_ = false;
    std::exception_ptr thrown_;
};

#ifndef FARDEL_WITHOUT_THREADS

class ThreadExecutor final : public Executor {
    // The threads keep it, too: one of them may be what destroys the executor, and goes on for a moment.
    struct Tasks {
        std::mutex mutex;
        std::condition_variable something_waits;
        std::deque<std::function<void()>> waiting;
        bool ends = false;

        void work() {
            std::unique_lock lock(mutex);
            for (;;) {
                something_waits.wait(lock, [this] { return ends || !waiting.empty(); });
                if (waiting.empty())
                    return;
                {
                    const std::function<void()> task = std::move(waiting.front());
                    waiting.pop_front();
                    lock.unlock();
                    task();
                }  // what the task kept is given back without the lock
                lock.lock();
            }
        }
    };

public:
    ~ThreadExecutor() override {
        {
            const std::scoped_lock lock(tasks_->mutex);
            tasks_->ends = true;
        }
        tasks_->something_waits.notify_all();
        for (std::thread& thread : threads_)
            if (thread.get_id() == std::this_thread::get_id())
                thread.detach();  // a task had the last reference
            else
                thread.join();
    }

    void start(unsigned threads) {
        try {
            while (threads_.size() < threads)
                threads_.emplace_back([tasks = tasks_] { tasks->work(); });
        } catch (const std::system_error&) {
            // As many as the system gives.
        }
    }

    unsigned thread_count() const noexcept override { return static_cast<unsigned>(threads_.size()); }

    void run(std::function<void()> task) override {
        {
            const std::scoped_lock lock(tasks_->mutex);
            tasks_->waiting.push_back(std::move(task));
        }
        tasks_->something_waits.notify_one();
    }

private:
    const std::shared_ptr<Tasks> tasks_ = std::make_shared<Tasks>();
    std::vector<std::thread> threads_;
};

#endif

}  // namespace

#ifdef FARDEL_WITHOUT_THREADS
std::shared_ptr<Executor> start_executor(unsigned) { return nullptr; }
#else
std::shared_ptr<Executor> start_executor(unsigned threads) {
    auto executor = std::make_shared<ThreadExecutor>();
    executor->start(std::clamp(threads, 1u, 64u));
    if (executor->thread_count() == 0)
        return nullptr;
    return executor;
}
#endif

bool try_run(Executor& executor, std::function<void()> task) {
    try {
        executor.run(std::move(task));
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

void share_work(Executor* executor, std::size_t count, const std::function<void(std::size_t)>& work) {
    if (executor == nullptr || count < 2) {
        for (std::size_t i = 0; i < count; ++i)
            work(i);
        return;
    }
    const auto shared = std::make_shared<SharedWork>(count, work);
    const std::size_t tasks = std::min<std::size_t>(executor->thread_count(), count - 1);
    for (std::size_t i = 0; i < tasks; ++i)
        if (!try_run(*executor, [shared] { shared->work_as_task(); }))
            break;
    shared->work();
    shared->close();
}

}  // namespace fardel
