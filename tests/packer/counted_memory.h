// CountedMemory: how many bytes operator new has given to the whole program, at most at one time, since it was created.
#pragma once

#include <fardel/base/sanitizers.h>

#include <cstddef>

namespace fardel::tests {

// Sanitizers bring their own memory; elsewhere, what malloc gave cannot be asked.
#if defined(__GLIBC__)
inline constexpr bool kMemoryIsCounted = !kSanitized;
#else
inline constexpr bool kMemoryIsCounted = false;
#endif

class CountedMemory {
public:
    CountedMemory() noexcept;
    std::size_t bytes_at_most() const noexcept;

private:
    std::size_t before_;
};

}  // namespace fardel::tests
