// Links that another user has made in a folder that this one may write to, too.
#pragma once

#include "test.h"

#include <unistd.h>

#include <filesystem>
#include <string>

namespace fardel::tests {

constexpr uid_t kOtherUser = 65534;

// Only root can make a link that is another user's; says so if this is not root.
inline bool can_make_foreign_links() {
    if (::geteuid() != 0)
        MESSAGE("SKIPPED: only root can give a link to another user");
    return ::geteuid() == 0;
}

inline void make_foreign_link(const std::string& target, const std::string& path) {
    std::filesystem::create_symlink(target, path);
    REQUIRE(::lchown(path.c_str(), kOtherUser, kOtherUser) == 0);
}

}  // namespace fardel::tests
