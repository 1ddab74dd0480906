// A file descriptor that closes itself, and errno as an Error. For files named *_posix.cpp.
#pragma once

#include <fardel/format/result.h>

#include <string_view>

namespace fardel {

class Descriptor {
public:
    explicit Descriptor(int number = -1) noexcept : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept;
    ~Descriptor();

    explicit operator bool() const noexcept { return number_ >= 0; }
    int number() const noexcept { return number_; }
    int release() noexcept;  // the caller closes it

private:
    int number_;
};

// "<what>: <the system's words>"
Error system_error(int number, std::string_view what);

}  // namespace fardel
