// SystemDescriptor: owns one descriptor of the system. And what an errno means in Fardel's words.
#pragma once

#include <fardel/format/result.h>

#include <string_view>
#include <utility>

namespace fardel {

class SystemDescriptor {
public:
    SystemDescriptor() = default;
    explicit SystemDescriptor(int number) noexcept : number_(number) {}
    ~SystemDescriptor() { close(); }
    SystemDescriptor(SystemDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    SystemDescriptor& operator=(SystemDescriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }

    explicit operator bool() const noexcept { return number_ >= 0; }
    int get() const noexcept { return number_; }
    void close() noexcept;

private:
    int number_ = -1;
};

// "<subject>: <the system's sentence>"
Error system_failure(int number, std::string_view subject);

}  // namespace fardel
