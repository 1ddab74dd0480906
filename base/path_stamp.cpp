#include <fardel/base/path_stamp.h>

#include <fardel/base/clock.h>
#include <fardel/base/file.h>

#include <algorithm>

namespace fardel {
namespace {

// Longer than the tick of kernels' clocks (10 ms) and of most file systems.
constexpr std::int64_t kYoungNs = 50'000'000;

}  // namespace

PathStamp stamp_of(const FileStatus& status, std::int64_t now_ns) noexcept {
    return {.kind = status.is_file()     ? StampKind::file
                    : status.is_folder() ? StampKind::folder
                                         : StampKind::other,
            .young = std::max(status.modified_ns, status.changed_ns) > now_ns - kYoungNs,
            .inode = status.inode,
            .size_bytes = status.size_bytes,
            .modified_ns = status.modified_ns,
            .changed_ns = status.changed_ns};
}

PathStamp stamp_path(const std::string& path) {
    const std::int64_t now_ns = wall_clock_ns();
    const auto status = find_file_status(path, path);
    return status && *status ? stamp_of(**status, now_ns) : PathStamp{};
}

}  // namespace fardel
