// Times pieces of work in a few rounds and returns the best times, because noise only adds time.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <vector>

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

// The same for works that are compared: a round is one after the other, so that what slows the machine meets all.
inline std::vector<double> interleaved_seconds(int rounds, const std::vector<std::function<void()>>& works) {
    std::vector<double> best(works.size(), std::numeric_limits<double>::infinity());
    for (int i = 0; i < rounds; ++i)
        for (std::size_t work = 0; work < works.size(); ++work)
            best[work] = std::min(best[work], best_seconds(1, works[work]));
    return best;
}

}  // namespace fardel::bench
