// Lets a test run as another user than root, because root can read every file.
#pragma once

#include "scratch_folder.h"

#include <sys/stat.h>
#include <unistd.h>

namespace fardel::tests {

// While it exists, the process has the rights of the unprivileged user `nobody`.
class Unprivileged {
public:
    Unprivileged() { step_down(); }
    // Lets the user enter `folder`.
    explicit Unprivileged(const ScratchFolder& folder) {
        REQUIRE(::chmod(folder.root().c_str(), 0755) == 0);
        step_down();
    }
    ~Unprivileged() {
        if (was_root_)
            REQUIRE(::seteuid(0) == 0);
    }
    Unprivileged(const Unprivileged&) = delete;
    Unprivileged& operator=(const Unprivileged&) = delete;

private:
    void step_down() const {
        if (was_root_)
            REQUIRE(::seteuid(65534) == 0);
    }

    bool was_root_ = ::geteuid() == 0;
};

}  // namespace fardel::tests
