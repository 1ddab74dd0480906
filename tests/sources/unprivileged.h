// Lets a test run as another user than root, because root can read every file.
#pragma once

#include "scratch.h"

#include <sys/stat.h>
#include <unistd.h>

namespace fardel {

// While it exists, the process has the rights of the unprivileged user `nobody`, who may enter `folder`.
class Unprivileged {
public:
    explicit Unprivileged(const tests::ScratchFolder& folder) {
        REQUIRE(::chmod(folder.root().c_str(), 0755) == 0);
        if (was_root_)
            REQUIRE(::seteuid(65534) == 0);
    }
    ~Unprivileged() {
        if (was_root_)
            REQUIRE(::seteuid(0) == 0);
    }
    Unprivileged(const Unprivileged&) = delete;
    Unprivileged& operator=(const Unprivileged&) = delete;

private:
    bool was_root_ = ::geteuid() == 0;
};

}  // namespace fardel
