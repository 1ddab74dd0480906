// Descriptor: the only owner of a descriptor of the operating system.
//
// All files, folders, pipes and terminals that Fardel opens are owned by Descriptor objects, which close them. Any
// thread may use a descriptor; two threads must not change one object at once.
#pragma once

#include <fardel/base/result.h>

#include <cstdint>
#include <string_view>
#include <utility>

namespace fardel {

// How the system names what a Descriptor owns. On Windows it is a HANDLE or a SOCKET; 0, 1 and 2 are the standard
// streams there as well.
#ifdef _WIN32
using SystemNumber = std::intptr_t;
#else
using SystemNumber = int;
#endif

class Descriptor {
public:
    Descriptor() = default;  // owns no descriptor
    explicit Descriptor(SystemNumber number) noexcept : number_(number) {}
    Descriptor(Descriptor&& other) noexcept { swap(other); }
    Descriptor& operator=(Descriptor&& other) noexcept {
        Descriptor taken(std::move(other));
        swap(taken);
        return *this;
    }
    ~Descriptor() { close(); }

    explicit operator bool() const noexcept { return number_ >= 0; }
    SystemNumber number() const noexcept { return number_; }  // -1: none
    // Gives up ownership: the caller closes the descriptor.
    SystemNumber release() noexcept { return std::exchange(number_, -1); }
    // Does nothing if there is no descriptor. Errors are ignored: use close_reporting() for written data that matters.
    void close() noexcept;
    // Closes the descriptor and returns errors that network file systems report only now: earlier writes may have
    // failed.
    Status close_reporting(std::string_view subject);
    // Returns another descriptor of the same open file; locks last until both are closed.
    Result<Descriptor> duplicate(std::string_view subject) const;

#ifdef _WIN32
    enum class Kind : unsigned char { handle, overlapped_file, socket };
    Descriptor(SystemNumber number, Kind kind) noexcept : number_(number), kind_(kind) {}
    Kind kind() const noexcept { return kind_; }
    // Where read_some() and write_whole() go on in an overlapped file: Windows keeps a position only for files whose
    // reads wait for each other.
    std::uint64_t& position() const noexcept { return position_; }
#endif

private:
    void swap(Descriptor& other) noexcept {
        std::swap(number_, other.number_);
#ifdef _WIN32
        std::swap(kind_, other.kind_);
        std::swap(position_, other.position_);
#endif
    }

    SystemNumber number_ = -1;
#ifdef _WIN32
    Kind kind_ = Kind::handle;
    mutable std::uint64_t position_ = 0;
#endif
};

}  // namespace fardel
