#include "counted_memory.h"

#include <atomic>
#include <cstdlib>
#include <new>

#if defined(__GLIBC__) && !FARDEL_ADDRESS_SANITIZER && !FARDEL_THREAD_SANITIZER
#define FARDEL_COUNTS_MEMORY 1
#include <malloc.h>
#else
#define FARDEL_COUNTS_MEMORY 0
#endif

namespace {

std::atomic<std::size_t> counted_now{0};
std::atomic<std::size_t> counted_at_most{0};

}  // namespace

#if FARDEL_COUNTS_MEMORY
// The other forms of new and delete call these, except those for larger alignments.
void* operator new(std::size_t size_bytes) {
    void* const memory = std::malloc(size_bytes != 0 ? size_bytes : 1);
    if (memory == nullptr)
        throw std::bad_alloc();
    const std::size_t now = counted_now += malloc_usable_size(memory) + sizeof(std::size_t);  // and malloc's own word
    for (std::size_t most = counted_at_most; now > most && !counted_at_most.compare_exchange_weak(most, now);) {
    }
    return memory;
}
void operator delete(void* memory) noexcept {
    if (memory != nullptr)
        counted_now -= malloc_usable_size(memory) + sizeof(std::size_t);
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
#endif

namespace fardel::tests {

CountedMemory::CountedMemory() noexcept : before_(counted_now) { counted_at_most = before_; }

std::size_t CountedMemory::bytes_at_most() const noexcept { return counted_at_most - before_; }

}  // namespace fardel::tests
