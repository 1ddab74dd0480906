// FuseSession: a file system of FUSE from its mount to its end. The mount itself, and the process that answers.
//
// One a process. The destructor takes the mount away, also from under those who still use it.
#pragma once

#include "fuse_tree.h"

#include <fardel/format/result.h>

#include <string>

struct fuse;

namespace fardel {

struct FuseSessionOptions {
    bool allow_other = false;  // other users may look too
};

class FuseSession {
public:
    // `folder` has to be there and to be empty. `tree` must live as long. Errors: missing (also: the system has no
    // FUSE), denied, conflict (not empty), io.
    static Result<FuseSession> mount(FuseTree& tree, const std::string& folder, const FuseSessionOptions& options);
    FuseSession(FuseSession&& other) noexcept;
    FuseSession& operator=(FuseSession&&) = delete;
    ~FuseSession();

    // The rest of the program runs in a process of its own; the one that was called ends, with 0. No other thread may
    // have been started.
    Status go_to_background();
    // Answers, on several threads, until somebody unmounts, or SIGINT, SIGTERM or SIGHUP asks for the end.
    Status serve();

private:
    explicit FuseSession(::fuse* fuse) noexcept : fuse_(fuse) {}
    ::fuse* fuse_;
    bool mounted_ = false;
};

// Takes away what `fardel mount` mounted there. Errors: missing (nothing is mounted there, or no fardel's), busy,
// denied, io.
Status unmount_fuse(const std::string& folder);

}  // namespace fardel
