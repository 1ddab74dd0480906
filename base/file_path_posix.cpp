#include <fardel/base/file_path.h>

#include "system_call.h"

#include <fardel/base/file.h>
#include <fardel/base/text_fields.h>

#include <limits.h>
#include <unistd.h>

#include <utility>

namespace fardel {
namespace {

int folder_on_the_way() noexcept { return kLocationOnly | O_DIRECTORY | O_CLOEXEC; }

// EPERM: a filter of system calls may say so of one that it does not know.
bool may_go_by_steps(int number) noexcept {
    return number == ELOOP || number == EXDEV || number == EAGAIN || number == ENOSYS || number == EPERM;
}

// Opens what a link leads to if this user or root has made the link: it leads where they want.
int follow_own_link(const Descriptor& folder, const std::string& name, const FileStatus& status, int flags) {
    char target[PATH_MAX];
    const auto size = ::readlinkat(folder.number(), name.c_str(), target, sizeof target - 1);
    if (size < 0)
        return -1;
    target[size] = '\0';
    // Between two equal states, the link that was read is the one whose owner is known.
    const auto after = file_status({folder, name}, name, Links::refused);
    const bool is_same = after && after->kind == FileKind::link && status.same_file_as(*after) &&
                         status.owner == after->owner && status.changed_ns == after->changed_ns;
    if (!is_same || (status.owner != ::geteuid() && status.owner != 0)) {
        errno = ELOOP;
        return -1;
    }
    return repeat([&] { return ::openat(folder.number(), target, flags); });
}

// One part of the name after the other.
int open_by_steps(const Descriptor& root, std::string_view rest, int flags) {
    Descriptor opened;
    for (const Descriptor* folder = &root;; folder = &opened) {
        const std::string part(read_until(rest, '/'));
        const int wanted = rest.empty() ? flags : folder_on_the_way();
        const auto status = file_status({*folder, part}, part, Links::refused);
        if (!status || part == "..") {
            errno = status ? ELOOP : status.error().system_number();
            return -1;
        }
        const bool follows = status->kind == FileKind::link && (wanted & O_NOFOLLOW) == 0;
        Descriptor next(follows ? follow_own_link(*folder, part, *status, wanted) : repeat([&] {
            return ::openat(folder->number(), part.c_str(), wanted | O_NOFOLLOW);
        }));
        if (rest.empty() || !next)
            return next.release();
        opened = std::move(next);
    }
}

}  // namespace

int open_below_root(const FileLocation& location, std::size_t size, int flags) {
    const std::string path = location.path().substr(0, size);
    const std::string root = path.substr(0, location.root_size());
    const std::string name = path.substr(std::min(path.size(), root.ends_with('/') ? root.size() : root.size() + 1));
    const Descriptor* const held = location.folder();
    if (name.empty())
        return held != nullptr ? repeat([&] { return ::openat(held->number(), ".", flags & ~O_NOFOLLOW); })
                               : repeat([&] { return ::openat(AT_FDCWD, path.c_str(), flags); });
    const int number = held != nullptr ? open_without_links(held->number(), name.c_str(), flags)
                                       : open_without_links(AT_FDCWD, path.c_str(), flags);
    if (number >= 0 || !may_go_by_steps(errno))
        return number;
    if (held != nullptr)
        return open_by_steps(*held, name, flags);
    // A link above the root is its user's affair.
    const Descriptor opened(repeat([&] { return ::openat(AT_FDCWD, root.c_str(), folder_on_the_way()); }));
    return opened ? open_by_steps(opened, name, flags) : -1;
}

int open_folder_above(const FileLocation& location) {
    const std::size_t slash = location.path().rfind('/');
    return open_below_root(location, std::max(slash, location.root_size()), folder_on_the_way());
}

}  // namespace fardel
