// Memory for very many small things that are freed together.
#pragma once

#include <fardel/base/memory.h>

#include <cstddef>
#include <memory_resource>
#include <new>

namespace fardel {

// What it gives goes back to the system when it is destroyed, and only then. From the usual allocator, the freed nodes
// of a list of a million files lie between what is still used, and stay with the program.
class SystemMemory : public std::pmr::monotonic_buffer_resource {
public:
    SystemMemory() : monotonic_buffer_resource(kFirstBytes, pages()) {}

private:
    static constexpr std::size_t kFirstBytes = std::size_t{1} << 20;

    class Pages final : public std::pmr::memory_resource {
        void* do_allocate(std::size_t size_bytes, std::size_t) override {
            if (void* const bytes = map_zeroed(size_bytes))
                return bytes;
            throw std::bad_alloc();
        }
        void do_deallocate(void* bytes, std::size_t size_bytes, std::size_t) override {
            unmap_zeroed(static_cast<std::byte*>(bytes), size_bytes);
        }
        bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
    };
    static Pages* pages() {
        static Pages pages;
        return &pages;
    }
};

}  // namespace fardel
