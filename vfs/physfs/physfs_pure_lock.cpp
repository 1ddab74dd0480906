#include "physfs_mounts.h"

#include <fardel/base/folder.h>
#include <fardel/format/name.h>
#include <fardel/vfs/physfs_archiver.h>
#include <fardel/vfs/pure_check.h>

#include <physfs.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace fardel {

// ---- ShownVfs -------------------------------------------------------------------------------------------------------

bool ShownVfs::add(const std::string& name, const std::shared_ptr<const Vfs>& vfs) {
    const std::scoped_lock lock(mutex_);
    if (locked_ != nullptr && locked_ != vfs.get())
        return false;
    shown_[name] = vfs.get();
    return true;
}

void ShownVfs::remove(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    shown_.erase(name);
}

const Vfs* ShownVfs::find(const std::string& name) const {
    const std::scoped_lock lock(mutex_);
    const auto found = shown_.find(name);
    return found == shown_.end() ? nullptr : found->second;
}

void ShownVfs::lock(const Vfs* vfs) {
    const std::scoped_lock lock(mutex_);
    locked_ = vfs;
}

void ShownVfs::unlock() {
    const std::scoped_lock lock(mutex_);
    locked_ = nullptr;
}

bool ShownVfs::is_locked() const {
    const std::scoped_lock lock(mutex_);
    return locked_ != nullptr;
}

// Never destroyed: a program may end PhysicsFS when its own objects are gone.
ShownVfs& shown_vfs() {
    static auto* const shown = new ShownVfs;
    return *shown;
}

// ---- PhysfsPureLock -------------------------------------------------------------------------------------------------

namespace {

struct Unmounted {
    std::string name;
    std::string mount_point;
    bool append = true;  // behind the Vfs; otherwise in front of it
};

// The names in the search path, the first one first.
std::vector<std::string> search_path() {
    std::vector<std::string> names;
    char** const list = PHYSFS_getSearchPath();
    for (char** name = list; name != nullptr && *name != nullptr; ++name)
        names.emplace_back(*name);
    if (list != nullptr)
        PHYSFS_freeList(list);
    return names;
}

std::string physfs_reason() {
    const char* const reason = PHYSFS_getErrorByCode(PHYSFS_getLastErrorCode());
    return reason != nullptr ? reason : "unknown";
}

Error cannot_return(const std::string& name, std::string_view why) {
    return Error(ErrorCode::unsupported, "\"" + printable(name) + "\" is in PhysicsFS's search path and " +
                                             std::string(why) + "; unmount it before pure mode is entered");
}

// What has to go, in the order of the search path.
Result<std::vector<Unmounted>> find_others(const Vfs& vfs) {
    std::vector<Unmounted> others;
    bool has_vfs = false;
    bool is_behind = false;
    for (const std::string& name : search_path()) {
        if (writable_mounts().has(name))
            continue;
        const Vfs* const shown = shown_vfs().find(name);
        if (shown == &vfs) {
            if (is_behind)
                return cannot_return(others.back().name, "lies between two mounts of the Vfs");
            has_vfs = true;
            continue;
        }
        if (shown != nullptr)
            return cannot_return(name, "shows another Vfs");
        // Of what was mounted from memory or a handle, PhysicsFS gives the name and nothing else.
        if (!real_path(name, printable(name)))
            return cannot_return(name, "is no file or folder of that name, so it could not be mounted again");
        const char* const mount_point = PHYSFS_getMountPoint(name.c_str());
        others.push_back({.name = name, .mount_point = mount_point != nullptr ? mount_point : "/", .append = has_vfs});
        is_behind = has_vfs;
    }
    if (!has_vfs)
        return Error(ErrorCode::missing, "the Vfs is not in PhysicsFS's search path; mount_into_physfs() comes first");
    return others;
}

// Each goes back to its position. Returns the first that cannot. `others`: in the order of the search path.
Status mount_again(const std::vector<Unmounted>& others) {
    Status status = ok();
    const auto mount = [&](const Unmounted& one) {
        if (PHYSFS_mount(one.name.c_str(), one.mount_point.c_str(), one.append ? 1 : 0) == 0 && status)
            status = Error(ErrorCode::missing, "\"" + printable(one.name) +
                                                   "\" cannot be mounted again: PhysicsFS says: " + physfs_reason());
    };
    for (const Unmounted& one : others)
        if (one.append)
            mount(one);
    for (auto one = others.rbegin(); one != others.rend(); ++one)
        if (!one->append)
            mount(*one);
    return status;
}

// Error: busy.
Status unmount_named(const std::string& name) {
    if (PHYSFS_unmount(name.c_str()) != 0)
        return ok();
    return Error(ErrorCode::busy,
                 "\"" + printable(name) + "\" cannot be unmounted: PhysicsFS says: " + physfs_reason());
}

// All of them or none. From both ends, so that those that went before an error can go back. Error: busy.
Status unmount_all(const std::vector<Unmounted>& others) {
    std::vector<Unmounted> front;
    std::vector<Unmounted> back;  // the last one first
    const auto unmount = [&](const Unmounted& one, std::vector<Unmounted>& gone) {
        Status status = unmount_named(one.name);
        if (status)
            gone.push_back(one);
        return status;
    };
    Status status = ok();
    for (auto one = others.begin(); status && one != others.end(); ++one)
        if (!one->append)
            status = unmount(*one, front);
    for (auto one = others.rbegin(); status && one != others.rend(); ++one)
        if (one->append)
            status = unmount(*one, back);
    if (!status) {
        front.insert(front.end(), back.rbegin(), back.rend());
        static_cast<void>(mount_again(front));
    }
    return status;
}

}  // namespace

struct PhysfsPureLock::State {
    std::shared_ptr<Vfs> vfs;
    std::vector<Unmounted> others;

    // What was mounted since, in the order of the search path.
    std::vector<std::string> newcomers() const {
        std::vector<std::string> names = search_path();
        std::erase_if(names, [&](const std::string& name) {
            return shown_vfs().find(name) == vfs.get() || writable_mounts().has(name);
        });
        return names;
    }

    std::vector<PureProblem> problems() const {
        std::vector<PureProblem> problems;
        for (const std::string& name : newcomers())
            problems.push_back(make_pure_problem(PureFault::not_allowed, {}, name.substr(name.find_last_of('/') + 1),
                                                 "mounted beside the content of the server"));
        return problems;
    }
};

PhysfsPureLock::PhysfsPureLock(std::unique_ptr<State> state) : state_(std::move(state)) {}
PhysfsPureLock::PhysfsPureLock(PhysfsPureLock&&) noexcept = default;
PhysfsPureLock::~PhysfsPureLock() {
    if (state_)
        static_cast<void>(leave());
}

// PhysicsFS 3.0 asks each archive for a name, and an archiver sees only its own: bundles can refuse, zips and folders
// cannot. PHYSFS_setRoot, which could point them at nothing, exists since 3.2 only and cannot be read back. So what is
// beside the Vfs is unmounted, and mounted again at the end.
Result<PhysfsPureLock> PhysfsPureLock::enter(std::shared_ptr<Vfs> vfs, PurePolicy policy) {
    if (PHYSFS_isInit() == 0)
        return Error(ErrorCode::missing, "PhysicsFS is not initialised");
    FARDEL_TRY_ASSIGN(auto others, find_others(*vfs));
    if (shown_vfs().is_locked())
        return Error(ErrorCode::conflict, "the search path of PhysicsFS is in pure mode already");
    // First unmount, then enter; leave() does it in reverse. So the server's content and the player's other files are
    // never visible together.
    FARDEL_TRY(unmount_all(others));
    shown_vfs().lock(vfs.get());
    vfs->enter_pure(std::move(policy));
    return PhysfsPureLock(std::make_unique<State>(State{.vfs = std::move(vfs), .others = std::move(others)}));
}

PureReport PhysfsPureLock::report() const {
    std::vector<PureProblem> problems = state_->problems();
    const auto own = state_->vfs->pure_report();
    if (own)
        problems.insert(problems.end(), own->problems().begin(), own->problems().end());
    return PureReport(std::move(problems));
}

Result<PureReply> PhysfsPureLock::answer(const PureOffer& offer, std::span<const PureAxis> chosen,
                                         std::string_view connection) const {
    return state_->vfs->answer_pure(offer, chosen, connection, state_->problems());
}

// Nothing in PhysicsFS's interface can refuse a folder or a zip that the game mounts meanwhile. Between its mount and
// this call a cheat gains nothing: whoever makes the process call PHYSFS_mount() can make it read any file without
// PhysicsFS.
Status PhysfsPureLock::unmount_newcomers() {
    Status status = ok();
    for (const std::string& name : state_->newcomers()) {
        Status unmounted = unmount_named(name);
        if (status)
            status = std::move(unmounted);
    }
    return status;
}

Status PhysfsPureLock::leave() {
    const std::unique_ptr<State> state = std::move(state_);
    state->vfs->leave_pure();
    shown_vfs().unlock();
    return mount_again(state->others);
}

}  // namespace fardel
