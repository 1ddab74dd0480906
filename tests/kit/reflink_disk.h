// ReflinkDisk: a real disk whose files can share blocks, btrfs in a file. It needs root, a loop device and btrfs-progs.
#pragma once

#include "scratch_folder.h"

#include <sys/mount.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace fardel::tests {

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
