// ShownVfs: which elements of PhysicsFS's search path are a Vfs, by their names, and whether others may join them.
//
// PhysicsFS passes no context to an archiver, so there is one for the process. Any thread. The lock inside is taken
// after PhysicsFS's own.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace fardel {

class Vfs;

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

}  // namespace fardel
