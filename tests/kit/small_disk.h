// SmallDisk: a small real disk, a tmpfs. Mounting one needs permission.
#pragma once

#include "scratch_folder.h"

#include <doctest/doctest.h>

#include <sys/mount.h>

#include <fstream>
#include <string>

namespace fardel::tests {

class SmallDisk {
public:
    SmallDisk(const ScratchFolder& scratch, const std::string& size) : path_(scratch.path("disk")) {
        std::filesystem::create_directory(path_);
        mounted_ = ::mount("tmpfs", path_.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
    }
    ~SmallDisk() {
        if (mounted_)
            ::umount2(path_.c_str(), MNT_DETACH);
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    bool mounted() const { return mounted_; }
    // Whether the case must be left out because nothing is mounted; says so.
    bool is_missing() const {
        if (!mounted_)
            MESSAGE("SKIPPED: no permission to mount a small disk");
        return !mounted_;
    }
    // Until nothing more can be written; emptied by removing path("filler").
    void fill() const {
        std::ofstream filler(path("filler"));
        const std::string page(4096, 'x');
        while (filler.write(page.data(), 4096).flush()) {
        }
    }
    bool make_read_only() const {
        return ::mount("tmpfs", path_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) == 0;
    }
    const std::string& root() const { return path_; }
    std::string path(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
    bool mounted_ = false;
};

}  // namespace fardel::tests
