// Descriptor: the only owner of a descriptor of the operating system.
//
// All files, folders, pipes and terminals that Fardel opens are owned by Descriptor objects, which close them. Any
// thread may use a descriptor; two threads must not change one object at once.
#pragma once

#include <fardel/base/result.h>

#include <string_view>
#include <utility>

namespace fardel {

class Descriptor {
public:
    Descriptor() = default;  // owns no descriptor
    explicit Descriptor(int number) noexcept : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        Descriptor taken(std::move(other));
        std::swap(number_, taken.number_);
        return *this;
    }
    ~Descriptor() { close(); }

    explicit operator bool() const noexcept { return number_ >= 0; }
    int number() const noexcept { return number_; }  // -1: none
    // Gives up ownership: the caller closes the descriptor.
    int release() noexcept { return std::exchange(number_, -1); }
    // Does nothing if there is no descriptor. Errors are ignored: use close_reporting() for written data that matters.
    void close() noexcept;
    // Closes the descriptor and returns errors that network file systems report only now: earlier writes may have
    // failed.
    Status close_reporting(std::string_view subject);
    // Returns another descriptor of the same open file; locks last until both are closed.
    Result<Descriptor> duplicate(std::string_view subject) const;

private:
    int number_ = -1;
};

}  // namespace fardel
