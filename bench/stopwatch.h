// Times a piece of work in a few rounds and returns the best time, because noise only adds time.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

namespace fardel::bench {

template <class Work>
double best_seconds(int rounds, Work&& work) {
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < rounds; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work();
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
}

}  // namespace fardel::bench
