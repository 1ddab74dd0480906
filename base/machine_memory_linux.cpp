#include <fardel/base/file.h>
#include <fardel/base/machine_memory.h>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <span>
#include <string>

namespace fardel {
namespace {

// What a container may use, as it sees it itself: version 2 of control groups, and version 1.
constexpr const char* kContainerLimits[] = {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"};

// Returns the number at the start of a small file; nothing if there is none, as in "max".
std::optional<std::uint64_t> find_number_in(const std::string& path) {
    const auto file = open_file(path, path);
    if (!file)
        return std::nullopt;
    std::string text(32, '\0');
    const auto count = read_some(*file, std::as_writable_bytes(std::span(text)), path);
    if (!count)
        return std::nullopt;
    std::uint64_t number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + *count, number);
    return parsed.ec == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> find_machine_memory() {
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long page_bytes = ::sysconf(_SC_PAGE_SIZE);
    if (pages <= 0 || page_bytes <= 0)
        return std::nullopt;
    std::uint64_t bytes = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
    for (const char* const path : kContainerLimits)
        if (const auto limit = find_number_in(path); limit && *limit != 0)
            bytes = std::min(bytes, *limit);
    return bytes;
}

}  // namespace fardel
