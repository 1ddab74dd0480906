// Which elements of PhysicsFS's search path are ours, by their names: ShownVfs those that are a Vfs, and whether others
// may join them; WritableMounts those that are a writable folder.
//
// PhysicsFS passes no context to an archiver, so there is one of each for the process. Any thread. The locks inside are
// taken after PhysicsFS's own.
#pragma once

#include <fardel/base/result.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace fardel {

class Vfs;

// What this thread's last call of PhysicsFS says, after `what`. Codes: conflict (there is something of that name), io.
Error physfs_refuses(const std::string& what);

class ShownVfs {
public:
    // Returns false while another Vfs is locked.
    bool add(const std::string& name, const std::shared_ptr<const Vfs>& vfs);
    void remove(const std::string& name);
    // nullptr: nothing, or something else.
    const Vfs* find(const std::string& name) const;

    void lock(const Vfs* vfs);
    void unlock();
    bool is_locked() const;

private:
    mutable std::mutex mutex_;
    std::map<std::string, const Vfs*> shown_;
    const Vfs* locked_ = nullptr;
};

ShownVfs& shown_vfs();

// Pure mode leaves them where they are.
class WritableMounts {
public:
    void add(const std::string& name);
    void remove(const std::string& name);
    bool has(const std::string& name) const;

private:
    mutable std::mutex mutex_;
    std::set<std::string> names_;
};

WritableMounts& writable_mounts();

}  // namespace fardel
