// Memory that runs out: while it lives, the n-th allocation of this thread by operator new fails, and all after it.
#pragma once

#include <cstddef>

namespace fardel::tests {

class FailingMemory {
public:
    explicit FailingMemory(std::size_t allocations) noexcept;  // how many there are to have
    ~FailingMemory();
    FailingMemory(const FailingMemory&) = delete;
    FailingMemory& operator=(const FailingMemory&) = delete;
};

}  // namespace fardel::tests
