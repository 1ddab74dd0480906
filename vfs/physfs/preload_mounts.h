// HiddenMounts: what an unmodified program mounts in pure mode. The preload library does not pass it on to PhysicsFS.
// The call succeeds all the same: the server's content is in the search path already, and programs end if they cannot
// mount their files.
//
// There is one for the process, as there is one PhysicsFS. Any thread.
#pragma once

#include <map>
#include <mutex>
#include <string>

namespace fardel {

class HiddenMounts {
public:
    // From now on mounts are hidden, until end(), which forgets them.
    void begin();
    void end();

    // Returns false if nothing is hidden now: PhysicsFS is to mount it. Otherwise notes it, and reports on standard
    // error what is new. Null is allowed.
    bool hide(const char* name, const char* mount_point);
    // Returns false if it was not hidden.
    bool remove(const char* name);
    // nullptr: it is not hidden. Valid until it is removed.
    const char* find_mount_point(const char* name) const;
    bool is_pure() const;

private:
    mutable std::mutex mutex_;
    bool pure_ = false;
    std::map<std::string, std::string> mount_points_;
};

HiddenMounts& hidden_mounts();

// Writes a line to standard error. The text may hold names from archives and from the program.
void say_from_preload(const std::string& text);

}  // namespace fardel
