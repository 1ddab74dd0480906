#include "physfs_peer.h"

#include <physfs.h>

#include <cstdio>
#include <cstdlib>

namespace fardel::bench {
namespace {

void require(int good, const char* what, const std::string& about) {
    if (good)
        return;
    std::fprintf(stderr, "bench: PhysicsFS: %s %s: %s\n", what, about.c_str(),
                 PHYSFS_getErrorByCode(PHYSFS_getLastErrorCode()));
    std::exit(1);
}

void collect(const std::string& folder, std::vector<std::string>& out) {
    char** names = PHYSFS_enumerateFiles(folder.c_str());
    for (char** name = names; *name; ++name) {
        const std::string path = folder.empty() ? *name : folder + "/" + *name;
        PHYSFS_Stat stat;
        require(PHYSFS_stat(path.c_str(), &stat), "stat", path);
        if (stat.filetype == PHYSFS_FILETYPE_DIRECTORY)
            collect(path, out);
        else
            out.push_back(path);
    }
    PHYSFS_freeList(names);
}

}  // namespace

PhysfsPeer::PhysfsPeer() { require(PHYSFS_init("fardel_bench"), "init", ""); }
PhysfsPeer::~PhysfsPeer() { PHYSFS_deinit(); }

void PhysfsPeer::mount(const std::vector<std::string>& archives) {
    for (const std::string& archive : archives) {
        require(PHYSFS_mount(archive.c_str(), "/", 0), "mount", archive);  // 0: before the others
        mounted_.push_back(archive);
    }
}

void PhysfsPeer::unmount_all() {
    for (const std::string& archive : mounted_)
        require(PHYSFS_unmount(archive.c_str()), "unmount", archive);
    mounted_.clear();
}

bool PhysfsPeer::exists(const char* name) const { return PHYSFS_exists(name) != 0; }

std::uint64_t PhysfsPeer::read(const std::string& name, std::vector<std::byte>& buffer) const {
    PHYSFS_File* file = PHYSFS_openRead(name.c_str());
    require(file != nullptr, "open", name);
    const auto size = static_cast<std::uint64_t>(PHYSFS_fileLength(file));
    if (buffer.size() < size)
        buffer.resize(size);
    require(PHYSFS_readBytes(file, buffer.data(), size) == static_cast<PHYSFS_sint64>(size), "read", name);
    PHYSFS_close(file);
    return size;
}

std::vector<std::string> PhysfsPeer::names() const {
    std::vector<std::string> out;
    collect("", out);
    return out;
}

}  // namespace fardel::bench
