// LateExecutor: keeps its tasks until run_all() is called, as a job system that is busy does.
#pragma once

#include <fardel/base/executor.h>

#include <cstddef>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace fardel::tests {

class LateExecutor final : public Executor {
public:
    static constexpr unsigned kThreads = 3;

    unsigned thread_count() const noexcept override { return kThreads; }
    void run(std::function<void()> task) override {
        const std::scoped_lock lock(mutex_);
        tasks_.push_back(std::move(task));
    }
    // Returns how many there were.
    std::size_t run_all() {
        std::vector<std::function<void()>> tasks;
        {
            const std::scoped_lock lock(mutex_);
            tasks.swap(tasks_);
        }
        for (const std::function<void()>& task : tasks)
            task();
        return tasks.size();
    }

private:
    std::mutex mutex_;
    std::vector<std::function<void()>> tasks_;
};

}  // namespace fardel::tests
