// TemporaryFolder: a new folder below the system's folder for temporary files, removed with its content by the
// destructor.
#pragma once

#include <fardel/base/result.h>

#include <string>
#include <utility>

namespace fardel {

class TemporaryFolder {
public:
    // Errors: denied, no_space, io.
    static Result<TemporaryFolder> make();
    TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    TemporaryFolder& operator=(TemporaryFolder&& other) noexcept {
        std::swap(path_, other.path_);
        return *this;
    }
    ~TemporaryFolder();

    const std::string& path() const noexcept { return path_; }

private:
    explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
    std::string path_;
};

}  // namespace fardel
