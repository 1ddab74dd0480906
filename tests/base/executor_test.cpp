#include <fardel/base/executor.h>

#include "kit/late_executor.h"
#include "kit/test.h"

#include <atomic>
#include <future>
#include <new>
#include <thread>
#include <vector>

namespace fardel::tests::executor_test {

// Calls of work(i) by share_work(), by i.
std::vector<int> times_called(Executor* executor, std::size_t count) {
    std::vector<std::atomic<int>> times(count);
    share_work(executor, count, [&](std::size_t i) { ++times[i]; });
    return {times.begin(), times.end()};
}

TEST_CASE("executor: each item of shared work is done once, with any number of threads and with none") {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{1000}}) {
        const std::vector<int> once(count, 1);
        CHECK(times_called(nullptr, count) == once);
        for (const unsigned threads : {1u, 2u, 7u}) {
            const auto executor = start_executor(threads);
            REQUIRE(executor);
            CHECK(times_called(executor.get(), count) == once);
        }
    }
}

TEST_CASE("executor: its number of threads is the requested one, within bounds") {
    CHECK(start_executor(0)->thread_count() == 1);
    CHECK(start_executor(3)->thread_count() == 3);
    CHECK(start_executor(1000)->thread_count() == 64);
}

TEST_CASE("executor: its threads take part, and every task is called before it ends") {
    std::atomic<int> called = 0;
    {
        const auto executor = start_executor(2);
        // Two items that wait for each other need two threads.
        std::atomic<int> arrived = 0;
        share_work(executor.get(), 2, [&](std::size_t) {
            ++arrived;
            while (arrived < 2)
                std::this_thread::yield();
        });
        CHECK(arrived == 2);
        for (int i = 0; i < 100; ++i)
            executor->run([&] { ++called; });
    }
    CHECK(called == 100);
}

TEST_CASE("executor: tasks that begin when the work is done touch nothing of it") {
    LateExecutor late;
    {
        const auto gone = std::make_unique<std::vector<int>>(10, 0);
        share_work(&late, 10, [&](std::size_t i) { ++(*gone)[i]; });
        CHECK(*gone == std::vector<int>(10, 1));
    }
    CHECK(late.run_all() == LateExecutor::kThreads);
}

TEST_CASE("executor: what an item throws reaches the caller, when no other one runs") {
    const auto executor = start_executor(3);
    for (Executor* const one : {static_cast<Executor*>(nullptr), executor.get()}) {
        std::atomic<int> running = 0;
        const auto work = [&](std::size_t i) {
            ++running;
            std::this_thread::yield();
            --running;
            if (i == 5)
                throw std::bad_alloc();
        };
        CHECK_THROWS_AS(share_work(one, 1000, work), std::bad_alloc);
        CHECK(running == 0);
    }
}

TEST_CASE("executor: one that has no memory for tasks leaves the work to the caller") {
    struct Poor final : Executor {
        unsigned thread_count() const noexcept override { return 4; }
        void run(std::function<void()>) override { throw std::bad_alloc(); }
    } poor;
    CHECK(times_called(&poor, 20) == std::vector<int>(20, 1));
}

TEST_CASE("executor: a task may have the last reference to it") {
    std::promise<void> ended;
    auto executor = start_executor(2);
    Executor& threads = *executor;
    std::promise<void> moved;
    threads.run([executor = std::move(executor), go = moved.get_future().share(), &ended]() mutable {
        go.wait();
        executor.reset();
        ended.set_value();
    });
    moved.set_value();
    CHECK(ended.get_future().wait_for(std::chrono::seconds(60)) == std::future_status::ready);
}

}  // namespace fardel::tests::executor_test
