// Descriptor: the one owner of a descriptor of the system.
//
// All files, folders, pipes and terminals that Fardel opens are held by one. Whoever holds it closes it. Any thread may
// use a descriptor; one object must not be changed by two threads at once.
#pragma once

#include <fardel/base/result.h>

#include <string_view>
#include <utility>

namespace fardel {

class Descriptor {
public:
    Descriptor() = default;  // owns none
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
    // The caller closes it.
    int release() noexcept { return std::exchange(number_, -1); }
    // Does nothing if there is none. An error is lost: what was written and matters is closed by close_reporting().
    void close() noexcept;
    // Closes, and returns what network file systems report only now: that bytes written before did not arrive.
    Status close_reporting(std::string_view subject);
    // Another descriptor of the same open file; locks last until both are closed.
    Result<Descriptor> duplicate(std::string_view subject) const;

private:
    int number_ = -1;
};

}  // namespace fardel
