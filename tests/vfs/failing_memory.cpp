#include "failing_memory.h"

#ifdef _WIN32
#include <malloc.h>
#endif

#include <cstdlib>
#include <new>

namespace {

thread_local bool is_short = false;
thread_local std::size_t left = 0;

#ifdef _WIN32  // whose aligned memory is freed in another way
void* aligned_memory(std::size_t alignment, std::size_t size_bytes) { return ::_aligned_malloc(size_bytes, alignment); }
[[maybe_unused]] void free_aligned(void* memory) { ::_aligned_free(memory); }
#else
void* aligned_memory(std::size_t alignment, std::size_t size_bytes) {
    return std::aligned_alloc(alignment, (size_bytes + alignment - 1) / alignment * alignment);
}
[[maybe_unused]] void free_aligned(void* memory) { std::free(memory); }
#endif

// `alignment`: 0: that of malloc.
[[maybe_unused]] void* allocate(std::size_t size_bytes, std::size_t alignment) {
    if (is_short && left-- == 0) {
        left = 0;
        throw std::bad_alloc();
    }
    void* const memory = alignment != 0 ? aligned_memory(alignment, size_bytes != 0 ? size_bytes : 1)
                                        : std::malloc(size_bytes != 0 ? size_bytes : 1);
    if (memory == nullptr)
        throw std::bad_alloc();
    return memory;
}

}  // namespace

#if !FARDEL_THREAD_SANITIZER
void* operator new(std::size_t size_bytes) { return allocate(size_bytes, 0); }
void* operator new[](std::size_t size_bytes) { return allocate(size_bytes, 0); }
void* operator new(std::size_t size_bytes, std::align_val_t alignment) {
    return allocate(size_bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size_bytes, std::align_val_t alignment) {
    return allocate(size_bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size_bytes, const std::nothrow_t&) noexcept {
    try {
        return allocate(size_bytes, 0);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void* operator new[](std::size_t size_bytes, const std::nothrow_t& flag) noexcept {
    return operator new(size_bytes, flag);
}
void* operator new(std::size_t size_bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    try {
        return allocate(size_bytes, static_cast<std::size_t>(alignment));
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void* operator new[](std::size_t size_bytes, std::align_val_t alignment, const std::nothrow_t& flag) noexcept {
    return operator new(size_bytes, alignment, flag);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { free_aligned(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { free_aligned(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { free_aligned(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { free_aligned(memory); }
#endif

namespace fardel::tests {

FailingMemory::FailingMemory(std::size_t allocations) noexcept {
    left = allocations;
    is_short = true;
}

FailingMemory::~FailingMemory() { is_short = false; }

}  // namespace fardel::tests
