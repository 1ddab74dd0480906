// A game that uses the shared PhysicsFS and knows nothing of Fardel. It puts one archive into the search path in one of
// PhysicsFS's ways, and prints what it then finds.
//
//     game WAY ARCHIVE      WAY: mount, add, io, memory, handle, sane
//
// For `sane` the archive is in the folder of the application "game" below XDG_DATA_HOME, where PHYSFS_setSaneConfig()
// finds it. For `handle` it is opened through PhysicsFS, so its folder is in the search path, too.
#include <physfs.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

namespace {

std::string bytes;  // of the archive

PHYSFS_sint64 position = 0;
PHYSFS_sint64 read_io(PHYSFS_Io*, void* buffer, PHYSFS_uint64 size) {
    const auto count =
        std::min<PHYSFS_sint64>(static_cast<PHYSFS_sint64>(size), static_cast<PHYSFS_sint64>(bytes.size()) - position);
    std::memcpy(buffer, bytes.data() + position, static_cast<std::size_t>(count));
    position += count;
    return count;
}
int seek_io(PHYSFS_Io*, PHYSFS_uint64 offset) {
    position = static_cast<PHYSFS_sint64>(offset);
    return 1;
}
PHYSFS_sint64 tell_io(PHYSFS_Io*) { return position; }
PHYSFS_sint64 length_io(PHYSFS_Io*) { return static_cast<PHYSFS_sint64>(bytes.size()); }
int flush_io(PHYSFS_Io*) { return 1; }
void destroy_io(PHYSFS_Io* io) {
    std::puts("the io was destroyed");
    delete io;
}
PHYSFS_Io* make_io();
PHYSFS_Io* duplicate_io(PHYSFS_Io*) { return make_io(); }
PHYSFS_Io* make_io() {
    return new PHYSFS_Io{0, nullptr, read_io, nullptr, seek_io, tell_io, length_io, duplicate_io, flush_io, destroy_io};
}
void release_memory(void*) { std::puts("the memory was released"); }

int mount_in(const std::string& way, const std::string& archive) {
    const std::string folder = archive.substr(0, archive.find_last_of('/'));
    const std::string name = archive.substr(archive.find_last_of('/') + 1);
    if (way == "mount")
        return PHYSFS_mount(archive.c_str(), "/cheats", 0);
    if (way == "add")
        return PHYSFS_addToSearchPath(archive.c_str(), 0);
    if (way == "io")
        return PHYSFS_mountIo(make_io(), "io.zip", nullptr, 0);
    if (way == "memory")
        return PHYSFS_mountMemory(bytes.data(), bytes.size(), release_memory, "memory.zip", nullptr, 0);
    if (way == "handle") {
        PHYSFS_mount(folder.c_str(), nullptr, 1);
        PHYSFS_File* const file = PHYSFS_openRead(name.c_str());
        return file != nullptr ? PHYSFS_mountHandle(file, "handle.zip", nullptr, 0) : 0;
    }
    return PHYSFS_setSaneConfig("org", "game", "zip", 0, 1);
}

void print(const char* name) {
    PHYSFS_File* const file = PHYSFS_openRead(name);
    char text[100] = "nothing";
    if (file != nullptr) {
        const PHYSFS_sint64 count = PHYSFS_readBytes(file, text, sizeof text - 1);
        text[count < 0 ? 0 : count] = '\0';
        PHYSFS_close(file);
    }
    std::printf("%s: %s\n", name, text);
}

}  // namespace

int main(int count, char** words) {
    if (count != 3)
        return 100;
    if (PHYSFS_init(words[0]) == 0) {
        std::puts("no PhysicsFS");
        return 1;
    }
    const std::string way = words[1];
    const std::string archive = words[2];
    std::ifstream file(archive, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
    std::printf("%s\n", mount_in(way, archive) != 0 ? "mounted" : "refused");
    for (const char* const name : {"wall", "floor", "sounds/step", "cheat", "cheats/cheat", "sounds/shout"})
        print(name);
    const char* const mount_point = PHYSFS_getMountPoint(archive.c_str());
    std::printf("at %s\n", mount_point != nullptr ? mount_point : "nothing");
    for (const char* const name : {archive.c_str(), "io.zip", "memory.zip"})
        if (PHYSFS_getMountPoint(name) != nullptr)
            std::printf("%s\n", PHYSFS_unmount(name) != 0 ? "unmounted" : "not unmounted");
    const char* const folder = PHYSFS_getWriteDir();
    if (folder != nullptr)
        std::printf("writes to %s\n", folder);
    char** const path = PHYSFS_getSearchPath();
    for (char** name = path; name != nullptr && *name != nullptr; ++name) {
        const bool was_mounted = PHYSFS_unmount(*name) != 0;
        std::printf("%s: %s\n", *name, was_mounted ? "removed" : "stays");
    }
    PHYSFS_freeList(path);
    print("wall");
    PHYSFS_deinit();
    std::puts("end");
    return 0;
}
