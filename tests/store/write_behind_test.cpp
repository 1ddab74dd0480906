#include "write_behind.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <vector>

using namespace fardel;

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

TEST_CASE("write behind: what waits is bounded, and one larger than the bound is taken alone") {
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

TEST_CASE("write behind: at its end what is being done is finished, and the rest given up") {
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
