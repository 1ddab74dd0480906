// FuseSession: a mounted FUSE file system, from mounting it to unmounting it, and the loop that answers its requests.
//
// At most one per program. The destructor unmounts, even if other programs still use the file system.
#pragma once

#include "fuse_tree.h"

#include <fardel/base/program.h>
#include <fardel/base/result.h>

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

struct fuse;

namespace fardel {

class FuseSession {
public:
    // `folder` must exist and be empty. `tree` must outlive the session. Errors: missing (also if the system has no
    // FUSE), denied, conflict (not empty), io. `allow_other`: other users may read it too.
    static Result<FuseSession> mount(FuseTree& tree, const std::string& folder, bool allow_other);
    // Whether this system has FUSE at all. Error: unsupported. The other functions return that, too.
    static Status verify_system();
    // What `mount` and unmount_fuse need of the system: a device, and the program fusermount3. Errors: missing,
    // denied.
    static Status verify_device();
    static Status verify_program();
    FuseSession(FuseSession&& other) noexcept;
    FuseSession& operator=(FuseSession&&) = delete;
    ~FuseSession();

    // Continues the program in a background process; the original process exits with 0. No other thread may have been
    // started.
    Status go_to_background();
    // Answers requests on several threads until the file system is unmounted, or SIGINT, SIGTERM or SIGHUP arrives.
    // `ending` is then called once, on another thread, before the last requests are answered: they may wait for
    // something that it can end. `beside` runs on a thread of its own until it is asked to stop.
    Status serve(const std::function<void()>& ending = {},
                 const std::function<void(const std::stop_token& stop)>& beside = {});
    // Answers requests until the program has ended, and unmounts; if another program still uses the file system, when
    // that does not any more. Returns how the program ended; nothing: serve() ended before, for one of its reasons.
    Result<std::optional<ProgramExit>> serve_program(ChildProgram program);

private:
    explicit FuseSession(::fuse* fuse) noexcept : fuse_(fuse) {}
    bool is_over() const noexcept;
    // Answers requests; `watch` runs on another thread meanwhile.
    Status answer(const std::function<void(const std::stop_token& stop)>& watch);
    ::fuse* fuse_;
    std::string mount_point_;
    bool mounted_ = false;
};

// Unmounts what `fardel mount` mounted there. Errors: missing (fardel has mounted nothing there), busy, denied, io.
Status unmount_fuse(const std::string& folder);

// Sets the preference for variants of what `fardel mount` mounted there: names give other assets from now on. Returns
// what the variants differ by, as Vfs::variant_axes(), cut if it is long. Errors: missing (fardel has mounted nothing
// there), denied (another user has), unsupported (an older version has), limit, io.
Result<VariantPreference> switch_variants(const std::string& folder, const VariantPreference& preference);

}  // namespace fardel
