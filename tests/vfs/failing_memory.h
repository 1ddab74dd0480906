// FailingMemory: while it exists, the n-th allocation of this thread by operator new and all later ones fail.
#pragma once

#include <cstddef>

// ThreadSanitizer brings its own operators new, which cannot be replaced.
#if defined(__SANITIZE_THREAD__)
#define FARDEL_MEMORY_CANNOT_FAIL
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FARDEL_MEMORY_CANNOT_FAIL
#endif
#endif

namespace fardel::tests {

#ifdef FARDEL_MEMORY_CANNOT_FAIL
inline constexpr bool kMemoryCanFail = false;
#else
inline constexpr bool kMemoryCanFail = true;
#endif

class FailingMemory {
public:
    explicit FailingMemory(std::size_t allocations) noexcept;  // the number that succeed
    ~FailingMemory();
    FailingMemory(const FailingMemory&) = delete;
    FailingMemory& operator=(const FailingMemory&) = delete;
};

}  // namespace fardel::tests
