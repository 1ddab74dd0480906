// Real disks for tests: a small one, and one whose files can share blocks. Both need permission to mount.
#pragma once

#include "files.h"

#include <sys/mount.h>

#include <filesystem>
#include <fstream>

namespace fardel::tests {

// A small real disk, a tmpfs.
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
    // False: the case must be left out, as is_missing() says.
    bool make_read_only() const {
        return !is_missing() && ::mount("tmpfs", path_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) == 0;
    }
    const std::string& root() const { return path_; }
    std::string path(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
    bool mounted_ = false;
};

// A disk whose files can share blocks: btrfs in a file. It needs root, a loop device and btrfs-progs.
class ReflinkDisk {
public:
    explicit ReflinkDisk(const ScratchFolder& scratch) : path_(scratch.path("reflinks")) {
        std::filesystem::create_directory(path_);
        const std::string image = scratch.write("reflinks.img", std::string_view());
        std::filesystem::resize_file(image, 200u << 20);  // sparse
        mounted_ =
            std::system(("(mkfs.btrfs -q " + image + " && mount -o loop " + image + " " + path_ + ") > /dev/null 2>&1")
                            .c_str()) == 0;
    }
    ~ReflinkDisk() {
        if (mounted_)
            ::umount2(path_.c_str(), MNT_DETACH);
    }
    ReflinkDisk(const ReflinkDisk&) = delete;
    ReflinkDisk& operator=(const ReflinkDisk&) = delete;

    bool mounted() const { return mounted_; }
    std::string path(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
    bool mounted_ = false;
};

}  // namespace fardel::tests
