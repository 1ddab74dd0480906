// A folder at which the program mounts something through the kernel's FUSE, for one test case.
#pragma once

#include "sample.h"

#include "kit/bytes.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace fardel::tests {

// What reading a file through a mount gives; empty if it cannot be opened.
inline std::string contents_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return read_whole(file);
}

// errno after opening and reading a whole file, or 0 if that succeeded.
inline int errno_of_reading(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return errno;
    char chunk[65536];
    ssize_t count = 0;
    while ((count = ::read(descriptor, chunk, sizeof chunk)) > 0) {
    }
    const int failure = count < 0 ? errno : 0;
    ::close(descriptor);
    return failure;
}

class MountedFolder {
public:
    // `words`: of `fardel mount`, without the folder.
    MountedFolder(const ScratchFolder& scratch, Arguments words, const Surroundings& surroundings = {})
        : path_(scratch.path("mnt")) {
        REQUIRE_MESSAGE(std::filesystem::exists("/dev/fuse"), "these tests mount: they need /dev/fuse");
        std::filesystem::create_directories(path_);
        words.insert(words.begin(), "mount");
        words.push_back(path_);
        const Outcome outcome = run(words, surroundings);
        said_ = outcome.err;
        CAPTURE(said_);
        REQUIRE(outcome.exit_code == 0);
    }
    ~MountedFolder() {
        if (!path_.empty())
            static_cast<void>(run_program({"fusermount3", "-q", "-u", "-z", path_}));
    }
    MountedFolder(const MountedFolder&) = delete;
    MountedFolder& operator=(const MountedFolder&) = delete;

    std::string path(const std::string& name) const { return path_ + "/" + name; }
    const std::string& said() const { return said_; }  // on standard error, before it went to the background
    void unmount() {
        run_well({"mount", "--unmount", path_});
        path_.clear();
    }

private:
    std::string path_;
    std::string said_;
};

}  // namespace fardel::tests
