// FuseSession: a mounted FUSE file system, from mounting it to unmounting it, and the loop that answers its requests.
//
// At most one per program. The destructor unmounts, even if other programs still use the file system.
#pragma once

#include "fuse_tree.h"

#include <fardel/base/result.h>

#include <functional>
#include <string>

struct fuse;

namespace fardel {

class FuseSession {
public:
    // `folder` must exist and be empty. `tree` must outlive the session. Errors: missing (also if the system has no
    // FUSE), denied, conflict (not empty), io. `allow_other`: other users may read it too.
    static Result<FuseSession> mount(FuseTree& tree, const std::string& folder, bool allow_other);
    FuseSession(FuseSession&& other) noexcept;
    FuseSession& operator=(FuseSession&&) = delete;
    ~FuseSession();

    // Continues the program in a background process; the original process exits with 0. No other thread may have been
    // started.
    Status go_to_background();
    // Answers requests on several threads until the file system is unmounted, or SIGINT, SIGTERM or SIGHUP arrives.
    // `ending` is then called once, on another thread, before the last requests are answered: they may wait for
    // something that it can end.
    Status serve(const std::function<void()>& ending = {});

private:
    explicit FuseSession(::fuse* fuse) noexcept : fuse_(fuse) {}
    ::fuse* fuse_;
    bool mounted_ = false;
};

// Unmounts what `fardel mount` mounted there. Errors: missing (fardel has mounted nothing there), busy, denied, io.
Status unmount_fuse(const std::string& folder);

}  // namespace fardel
