#include "trim_plan.h"

#include <algorithm>
#include <tuple>

namespace fardel {

bool is_trimmed_before(const CacheFile& a, const CacheFile& b) {
    return std::tie(a.used_ns, a.kind, a.id) < std::tie(b.used_ns, b.kind, b.id);
}

std::vector<CacheFile> plan_trim(std::vector<CacheFile> files, const CacheTrimOptions& trim, std::int64_t now_ns,
                                 std::int64_t kept_since_ns) {
    using std::chrono::nanoseconds;
    std::ranges::sort(files, is_trimmed_before);
    std::uint64_t bytes_left = 0;
    for (const CacheFile& file : files)
        bytes_left += file.size_bytes;
    const std::int64_t young_ns = now_ns - nanoseconds(trim.keep_younger_than).count();
    const std::int64_t old_ns = now_ns - nanoseconds(trim.unused_for).count();
    std::size_t count = 0;
    for (; count < files.size(); ++count) {
        const CacheFile& file = files[count];
        if (file.used_ns >= kept_since_ns || file.used_ns > young_ns ||
            (file.used_ns >= old_ns && bytes_left <= trim.bytes_max))
            break;
        bytes_left -= file.size_bytes;
    }
    files.resize(count);
    return files;
}

}  // namespace fardel
