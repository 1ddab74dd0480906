// The random numbers of one input: the same seed gives the same input with every compiler and library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace fardel::sweep {

// SplitMix64.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }
    // A number below `bound`; 0 if that is 0.
    std::size_t below(std::size_t bound) { return bound == 0 ? 0 : static_cast<std::size_t>(next() % bound); }
    // True once in `times` on average.
    bool once_in(std::size_t times) { return below(times) == 0; }
    // One element of a container that is not empty.
    template <class Container>
    auto& pick(Container&& container) {
        return container[below(std::size(container))];
    }
    template <class Container>
    void shuffle(Container& container) {
        for (std::size_t i = std::size(container); i > 1; --i)
            std::swap(container[i - 1], container[below(i)]);
    }

private:
    std::uint64_t state_;
};

}  // namespace fardel::sweep
