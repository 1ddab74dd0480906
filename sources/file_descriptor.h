// FileDescriptor: owns one POSIX descriptor. And the translation of errno into an Error.
#pragma once

#include <fardel/format/result.h>

#include <string>
#include <string_view>
#include <utility>

namespace fardel {

class FileDescriptor {
public:
    explicit FileDescriptor(int number) noexcept : number_(number) {}
    ~FileDescriptor();
    FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }

    explicit operator bool() const noexcept { return number_ >= 0; }
    int get() const noexcept { return number_; }
    // The caller closes it.
    int release() noexcept { return std::exchange(number_, -1); }

private:
    int number_ = -1;
};

// openat(2) for reading; never waits, never becomes the terminal, closed on exec. Below zero: errno says why.
FileDescriptor open_at(int folder, const char* name, int more_flags) noexcept;

// missing, denied or io; the message is "<what>: <the system's words>".
Error error_from_errno(int number, std::string_view what);

}  // namespace fardel
