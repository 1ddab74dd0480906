#include <fardel/base/threads.h>

#include "kit/test.h"

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace fardel::tests::threads_test {

TEST_CASE("threads: no wake-up is missed") {
    // Four threads hand a token around: one that is missed stops them all.
    constexpr std::uint8_t kThreads = 4;
    constexpr int kRounds = 5000;
    std::atomic<std::uint8_t> turn{0};
    int handed = 0;  // changed by whoever has the token
    {
        std::vector<std::jthread> threads;
        for (std::uint8_t own = 0; own < kThreads; ++own)
            threads.emplace_back([&, own] {
                for (int round = 0; round < kRounds; ++round) {
                    for (std::uint8_t seen = turn.load(); seen != own; seen = turn.load())
                        wait_while(turn, seen);
                    ++handed;
                    turn.store(static_cast<std::uint8_t>((own + 1) % kThreads));
                    wake_all(turn);
                }
            });
    }
    CHECK(handed == kThreads * kRounds);
}

}  // namespace fardel::tests::threads_test
