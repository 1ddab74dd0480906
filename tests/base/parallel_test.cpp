#include <fardel/base/parallel.h>

#include "kit/restricted_program.h"

#include <atomic>
#include <mutex>
#include <set>

namespace fardel::tests::parallel_test {

TEST_CASE("parallel: the number of workers is the requested one, within bounds") {
    CHECK(worker_count(3) == 3);
    CHECK(worker_count(1'000'000) == kWorkersMax);
    CHECK(worker_count(1'000'000, 64) == 64);
    CHECK(worker_count(0) >= 1);
    CHECK(worker_count(0, 1) == 1);
    CHECK(worker_count(5, 0) == 1);
}

TEST_CASE("parallel: each item is processed once, with any number of workers") {
    for (const unsigned workers : {0u, 1u, 2u, 7u, 64u}) {
        for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{5}, std::size_t{1000}}) {
            std::vector<std::atomic<int>> times(count);
            parallel_for(count, workers, [&](std::size_t i) { ++times[i]; });
            for (const auto& time : times)
                CHECK(time == 1);
        }
    }
}

TEST_CASE("ordered work: each part is taken once, and the error is that of the first part that fails") {
    constexpr std::size_t kParts = 1000;
    for (const unsigned workers : {1u, 2u, 7u}) {
        for (const std::size_t failing : {std::size_t{0}, std::size_t{300}, kParts - 1, kParts}) {
            std::vector<std::atomic<int>> times(kParts);
            OrderedWork work(kParts);
            run_on_threads(work.useful_workers(workers), [&] {
                while (const auto part = work.take()) {
                    ++times[*part];
                    // Parts behind it fail too, and may do so earlier.
                    const bool fails = *part >= failing && *part % 3 == failing % 3;
                    work.note(*part, fails ? Status(Error(ErrorCode::io, std::to_string(*part))) : ok());
                }
            });
            const Status done = std::move(work).finish();
            CHECK(static_cast<bool>(done) == (failing == kParts));
            if (!done)
                CHECK(done.error().message() == std::to_string(failing));
            for (std::size_t part = 0; part < kParts; ++part)
                CHECK((times[part] == 1 || (times[part] == 0 && part > failing)));
        }
    }
    CHECK(OrderedWork(5).useful_workers(8) == 5);
    CHECK(OrderedWork(0).useful_workers(8) == 0);
    CHECK(OrderedWork(0).finish());
}

TEST_CASE("parallel: the caller's thread works too, with its own function if it has one") {
    std::mutex mutex;
    std::set<std::thread::id> seen;
    std::atomic<unsigned> arrived = 0;
    const auto work = [&] {
        ++arrived;
        while (arrived < 3)
            std::this_thread::yield();
        const std::scoped_lock lock(mutex);
        seen.insert(std::this_thread::get_id());
    };
    run_on_threads(3, work);
    CHECK(seen.size() == 3);
    CHECK(seen.contains(std::this_thread::get_id()));

    std::atomic<int> others = 0;
    int own = 0;
    run_on_threads(
        3, [&] { ++others; }, [&] { ++own; });
    CHECK(others == 2);
    CHECK(own == 1);
}

TEST_CASE("parallel: threads of a group are asked to stop at its end") {
    std::atomic<int> ended = 0;
    {
        WorkerThreads threads;
        for (int i = 0; i < 3; ++i)
            CHECK(threads.try_start([&](const std::stop_token& stop) {
                while (!stop.stop_requested())
                    std::this_thread::yield();
                ++ended;
            }));
        CHECK(threads.size() == 3);
    }
    CHECK(ended == 3);
}

TEST_CASE("parallel: if the system starts no more threads, the running ones do all the work") {
    if (!tests::can_limit_threads())
        return;
    constexpr unsigned kWanted = 200;
    CHECK(tests::run_with_few_threads([] {
              WorkerThreads threads;
              unsigned started = 0;
              while (started < kWanted && threads.try_start([](const std::stop_token& stop) {
                  while (!stop.stop_requested())
                      std::this_thread::sleep_for(std::chrono::milliseconds(1));
              }))
                  ++started;
              return started < kWanted && threads.size() == started;
          }) == 0);
    CHECK(tests::run_with_few_threads([] {
              std::atomic<std::size_t> sum = 0;
              parallel_for(1000, kWanted, [&](std::size_t i) {
                  std::this_thread::sleep_for(std::chrono::microseconds(10));
                  sum += i;
              });
              return sum == 499'500;
          }) == 0);
}

}  // namespace fardel::tests::parallel_test
