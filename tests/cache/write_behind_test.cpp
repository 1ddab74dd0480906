#include "write_behind.h"

#include "kit/restricted_program.h"

#include <atomic>

namespace fardel::tests::write_behind_test {

TEST_CASE("write behind: work is done in order, and flush waits for it") {
    std::vector<int> done;
    WriteBehind behind(1000);
    for (int i = 0; i < 100; ++i)
        behind.add(1, [&done, i] { done.push_back(i); });
    behind.flush();
    REQUIRE(done.size() == 100);
    for (int i = 0; i < 100; ++i)
        CHECK(done[static_cast<std::size_t>(i)] == i);
}

TEST_CASE(
    "write behind: the amount of waiting work is bounded, and work above the bound waits until no other is left") {
    std::atomic<bool> go = false;
    std::atomic<int> done = 0;
    WriteBehind behind(100);
    const auto work = [&] {
        while (!go)
            std::this_thread::yield();
        ++done;
    };
    behind.add(500, work);
    CHECK_FALSE(behind.try_add(1, work));
    std::atomic<bool> added = false;
    std::thread waits([&] {
        behind.add(60, work);
        added = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK_FALSE(added);
    go = true;
    waits.join();
    behind.flush();
    CHECK(done == 2);
}

TEST_CASE("write behind: the destructor waits for the work that has begun, and drops the rest") {
    std::atomic<int> started = 0;
    std::atomic<int> done = 0;
    {
        WriteBehind behind(1'000'000);
        for (int i = 0; i < 1000; ++i)
            behind.add(1, [&] {
                ++started;
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
                ++done;
            });
        while (started == 0)
            std::this_thread::yield();
    }
    CHECK(done == started);
    CHECK(done < 1000);
}

TEST_CASE("write behind: if no thread can be started, the caller's thread does the work") {
    if (!tests::can_limit_threads())
        return;
    CHECK(tests::run_with_few_threads([] {
              // Uses up the threads whose stacks earlier tests have left.
              WorkerThreads others;
              while (others.try_start([](const std::stop_token& stop) {
                  while (!stop.stop_requested())
                      std::this_thread::sleep_for(std::chrono::milliseconds(1));
              })) {
              }
              std::vector<int> done;
              bool all_here = true;
              const auto work = [&](int number) {
                  return [&done, &all_here, number, caller = std::this_thread::get_id()] {
                      done.push_back(number);
                      all_here = all_here && std::this_thread::get_id() == caller;
                  };
              };
              WriteBehind behind(100);
              behind.add(500, work(1));
              const bool added = behind.try_add(500, work(2));
              behind.flush();
              return added && all_here && done == std::vector<int>{1, 2};
          }) == 0);
}

}  // namespace fardel::tests::write_behind_test
