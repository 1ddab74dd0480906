// FailingMemory: while it exists, the n-th allocation of this thread by operator new and all later ones fail.
#pragma once

#include <fardel/base/sanitizers.h>

#include <cstddef>

namespace fardel::tests {

// ThreadSanitizer brings its own operators new, which cannot be replaced.
inline constexpr bool kMemoryCanFail = !kThreadSanitizer;

class FailingMemory {
public:
    explicit FailingMemory(std::size_t allocations) noexcept;  // the number that succeed
    ~FailingMemory();
    FailingMemory(const FailingMemory&) = delete;
    FailingMemory& operator=(const FailingMemory&) = delete;
};

}  // namespace fardel::tests
