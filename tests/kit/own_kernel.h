// Runs cases of this test program under a Linux kernel of their own (user-mode-linux: a kernel that is a program), for
// network file systems that the kernel of a test machine may not have. The files of the machine are there under their
// names; what is mounted is not.
#pragma once

#include "files.h"
#include "program.h"

#include <fardel/base/sanitizers.h>

#include <doctest/doctest.h>

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace fardel::tests {

// Why there is no such kernel here; empty: there is.
inline std::string missing_own_kernel() {
    if (kSanitized)
        return "a sanitizer needs more addresses than a kernel that is a program has";
    for (const char* const program : {"/usr/bin/linux.uml", "/usr/sbin/modprobe", "/usr/sbin/ip"})
        if (::access(program, X_OK) != 0)
            return std::string(program) + " is missing";
    return "";
}

// Whether this program was started by run_on_two_computers().
inline bool is_in_own_kernel() { return std::getenv("FARDEL_INSIDE") != nullptr; }

// Starts the kernel, and in it those cases of this program whose names match, beside network_computers.sh's two
// computers: their mounts of a folder over NFS are /mnt/one and /mnt/two, the folder itself is /mnt/server. Prints
// SKIPPED if there is no such kernel. Fails the test if one of the cases fails, or if they do not end within a quarter
// of an hour.
inline void run_on_two_computers(const std::string& cases) {
    if (const std::string missing = missing_own_kernel(); !missing.empty()) {
        MESSAGE("SKIPPED: " << missing);
        return;
    }
    const ScratchFolder scratch;
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::string inside =
        scratch.write_program("inside", "#!/bin/sh\nexec '" + self + "' --test-case='" + cases + "'\n");
    const std::string disk = scratch.write("disk", "");
    std::filesystem::resize_file(disk, 256 << 20);
    const Outcome outcome =
        run_program({"linux.uml", "ubda=" + disk, "mem=256M", "root=/dev/root", "rootfstype=hostfs", "rootflags=/",
                     "rw", "quiet", "init=" FARDEL_SOURCE_DIR "/tests/kit/network_computers.sh", "con=null",
                     "con0=null,fd:2", "FARDEL_INSIDE=" + inside},
                    {.variables = {{"TMPDIR", scratch.path("")}, {"HOME", scratch.path("")}},  // for its memory
                     .patience = std::chrono::minutes(15)});
    INFO(outcome.err);
    if (!std::filesystem::exists(inside + ".began")) {
        MESSAGE("SKIPPED: the kernel does not start here, " << outcome.exit_code);
        return;
    }
    REQUIRE_MESSAGE(std::filesystem::exists(inside + ".code"),
                    "the first program of the kernel did not come to its end");
    INFO(read_file(inside + ".out"));
    CHECK(read_file(inside + ".code") == "0\n");
}

}  // namespace fardel::tests
