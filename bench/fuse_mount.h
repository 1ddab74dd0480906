// A folder in which another program shows an image through FUSE, for as long as the object lives. Linux.
//
// The program stays a child process and is ended in every case: by the destructor, by std::exit, or by the kernel
// when the benchmark is killed.
#pragma once

#include <fardel/base/result.h>

#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

namespace fardel::bench {

class FuseMount {
public:
    // Runs `words`, a program that stays in the foreground, with a new folder in `scratch` as its last argument, and
    // waits until something is mounted there. Only for the main thread. Errors: io.
    static Result<std::shared_ptr<FuseMount>> mount(std::vector<std::string> words, const std::string& scratch);
    ~FuseMount();
    FuseMount(const FuseMount&) = delete;
    FuseMount& operator=(const FuseMount&) = delete;

    const std::string& folder() const noexcept { return folder_; }

private:
    FuseMount() = default;
    Status await() const;
    void end();
    std::string folder_;
    pid_t server_ = -1;
};

// Returns whether the PATH contains such a program.
bool is_installed(const std::string& program);

}  // namespace fardel::bench
