// The functions of PhysicsFS that change the search path, for a program in pure mode.
#include "preload_mounts.h"

#include <dlfcn.h>
#include <physfs.h>

#include <string_view>

namespace fardel {

void HiddenMounts::begin() {
    const std::scoped_lock lock(mutex_);
    pure_ = true;
}

void HiddenMounts::end() {
    const std::scoped_lock lock(mutex_);
    pure_ = false;
    mount_points_.clear();
}

namespace {

// As PHYSFS_getMountPoint() returns it: "/" or "cheats/".
std::string shown_mount_point(std::string_view given) {
    while (given.starts_with('/'))
        given.remove_prefix(1);
    while (given.ends_with('/'))
        given.remove_suffix(1);
    return std::string(given) + "/";
}

}  // namespace

// The calls succeed: most programs end when they cannot mount their own data, although the server's content is there.
bool HiddenMounts::hide(const char* name, const char* mount_point) {
    const std::string key = name != nullptr ? name : "";
    {
        const std::scoped_lock lock(mutex_);
        if (!pure_)
            return false;
        // As PhysicsFS: mounting the same again succeeds and changes nothing.
        if (!mount_points_.try_emplace(key, shown_mount_point(mount_point != nullptr ? mount_point : "/")).second)
            return true;
    }
    say_from_preload("pure mode: " + key + " is hidden");
    return true;
}

bool HiddenMounts::remove(const char* name) {
    const std::scoped_lock lock(mutex_);
    return name != nullptr && mount_points_.erase(name) > 0;
}

const char* HiddenMounts::find_mount_point(const char* name) const {
    const std::scoped_lock lock(mutex_);
    const auto found = name == nullptr ? mount_points_.end() : mount_points_.find(name);
    return found == mount_points_.end() ? nullptr : found->second.c_str();
}

bool HiddenMounts::is_pure() const {
    const std::scoped_lock lock(mutex_);
    return pure_;
}

HiddenMounts& hidden_mounts() {
    static auto* const mounts = new HiddenMounts;  // outlives the program's own calls at its end
    return *mounts;
}

namespace {

// PhysicsFS's own function, which this library's hides.
template <class Function, class... Arguments>
auto call_physfs(const char* name, Arguments... arguments) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name))(arguments...);
}

bool hide(const char* name, const char* mount_point) { return hidden_mounts().hide(name, mount_point); }

// The server's content stays in the search path; everything else that is not hidden is PhysicsFS's to judge.
int unmount(const char* function, const char* name) {
    if (hidden_mounts().remove(name))
        return 1;
    if (!hidden_mounts().is_pure())
        return call_physfs<int(const char*)>(function, name);
    PHYSFS_setErrorCode(PHYSFS_ERR_PERMISSION);
    return 0;
}

}  // namespace
}  // namespace fardel

#define FARDEL_INSTEAD_OF_PHYSFS extern "C" __attribute__((visibility("default")))

using namespace fardel;

FARDEL_INSTEAD_OF_PHYSFS int PHYSFS_mount(const char* name, const char* mount_point, int append) {
    return hide(name, mount_point) ? 1 : call_physfs<decltype(PHYSFS_mount)>("PHYSFS_mount", name, mount_point, append);
}

FARDEL_INSTEAD_OF_PHYSFS int PHYSFS_addToSearchPath(const char* name, int append) {
    return hide(name, nullptr) ? 1 : call_physfs<int(const char*, int)>("PHYSFS_addToSearchPath", name, append);
}

// PhysicsFS owns what it mounts: the io, the memory, the file.

FARDEL_INSTEAD_OF_PHYSFS int PHYSFS_mountIo(PHYSFS_Io* io, const char* name, const char* mount_point, int append) {
    if (!hide(name, mount_point))
        return call_physfs<decltype(PHYSFS_mountIo)>("PHYSFS_mountIo", io, name, mount_point, append);
    if (io != nullptr)
        io->destroy(io);
    return 1;
}

FARDEL_INSTEAD_OF_PHYSFS int PHYSFS_mountMemory(const void* bytes, PHYSFS_uint64 size, void (*release)(void*),
                                                const char* name, const char* mount_point, int append) {
    if (!hide(name, mount_point))
        return call_physfs<decltype(PHYSFS_mountMemory)>("PHYSFS_mountMemory", bytes, size, release, name, mount_point,
                                                         append);
    if (release != nullptr)
        release(const_cast<void*>(bytes));
    return 1;
}

FARDEL_INSTEAD_OF_PHYSFS int PHYSFS_mountHandle(PHYSFS_File* file, const char* name, const char* mount_point,
                                                int append) {
    if (!hide(name, mount_point))
        return call_physfs<decltype(PHYSFS_mountHandle)>("PHYSFS_mountHandle", file, name, mount_point, append);
    if (file != nullptr)
        PHYSFS_close(file);
    return 1;
}

// Its other half, the folder to which the program writes, is set as PhysicsFS does it.
FARDEL_INSTEAD_OF_PHYSFS int PHYSFS_setSaneConfig(const char* organization, const char* application,
                                                  const char* extension, int include_cds, int archives_first) {
    if (!hidden_mounts().is_pure())
        return call_physfs<decltype(PHYSFS_setSaneConfig)>("PHYSFS_setSaneConfig", organization, application, extension,
                                                           include_cds, archives_first);
    const char* const folder = PHYSFS_getPrefDir(organization, application);
    return folder != nullptr && hide(folder, nullptr) && PHYSFS_setWriteDir(folder) != 0 ? 1 : 0;
}

FARDEL_INSTEAD_OF_PHYSFS int PHYSFS_unmount(const char* name) { return unmount("PHYSFS_unmount", name); }

FARDEL_INSTEAD_OF_PHYSFS int PHYSFS_removeFromSearchPath(const char* name) {
    return unmount("PHYSFS_removeFromSearchPath", name);
}

FARDEL_INSTEAD_OF_PHYSFS const char* PHYSFS_getMountPoint(const char* name) {
    const char* const hidden = hidden_mounts().find_mount_point(name);
    return hidden != nullptr ? hidden : call_physfs<decltype(PHYSFS_getMountPoint)>("PHYSFS_getMountPoint", name);
}

// PhysicsFS 3.2 has it: what an archive shows at its mount point.
FARDEL_INSTEAD_OF_PHYSFS int PHYSFS_setRoot(const char* name, const char* folder) {
    if (hidden_mounts().find_mount_point(name) != nullptr)
        return 1;
    const auto set_root = reinterpret_cast<int (*)(const char*, const char*)>(::dlsym(RTLD_NEXT, "PHYSFS_setRoot"));
    if (set_root != nullptr && !hidden_mounts().is_pure())
        return set_root(name, folder);
    PHYSFS_setErrorCode(set_root != nullptr ? PHYSFS_ERR_PERMISSION : PHYSFS_ERR_UNSUPPORTED);
    return 0;
}
