// Contents of each class (docs/trust-policy.md, "Classes of content"), and a policy that lets a signer bring one.
#pragma once

#include "kit/files.h"
#include "kit/running_qvm.h"

#include <fardel/format/statement.h>
#include <fardel/format/trust_policy.h>

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <string_view>

namespace fardel::tests {

inline const std::string kTarga =
    std::string("\0\0\2\0\0\0\0\0\0\0\0\0\x40\0\x40\0\x18\0", 18) + std::string(64, '\x7f');
inline const std::string kElf = std::string(
                                    "\x7f"
                                    "ELF\2\1\1\0",
                                    8) +
                                std::string(5000, '\x90');
inline const std::string kQvm = make_running_qvm();
inline const std::string kScript = "print('nothing that is known as a statement')\n";

// A script of this system, and one of the shared objects that this process has loaded.
inline std::string real_script() { return read_file("/usr/bin/ldd"); }
inline std::string real_shared_object() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (const auto path = line.find('/'); path != std::string::npos && line.find(".so") != std::string::npos)
            return read_file(line.substr(path));
    FAIL("this process has no shared objects");
    return {};
}

// `classes`: " classes=data", or "" for no limit.
inline std::string limiting_policy_text(const PublicKey& author, std::string_view classes = " classes=data") {
    return "fardel-trust 1\nkey a " + author.hex() + "\nallow ** author=1:a" + std::string(classes) + "\n";
}

inline TrustPolicy limiting_policy(const PublicKey& author, std::string_view classes = " classes=data") {
    return TrustPolicy::parse(limiting_policy_text(author, classes)).value();
}

}  // namespace fardel::tests
