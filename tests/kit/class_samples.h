// Contents of each class (docs/trust-policy.md, "Classes of content"), and a policy that lets a signer bring one.
#pragma once

#include "files.h"

#include <fardel/format/statement.h>
#include <fardel/format/trust_policy.h>

namespace fardel::tests {

// The smallest program for the virtual machine of Quake III Arena that can be seen to run: a game module whose vmMain
// prints a line and returns 0. Opcodes, syscall numbers and the header are those of the engine, which runs it in
// cli/trust.
inline const std::string kQvmPrints = "this QVM runs";

inline std::string make_running_qvm() {
    const auto u32 = [](std::uint32_t value) {
        std::string bytes;
        for (int shift = 0; shift < 32; shift += 8)
            bytes.push_back(static_cast<char>(value >> shift));
        return bytes;
    };
    const auto pad = [](std::string& bytes) { bytes.resize((bytes.size() + 3) / 4 * 4); };
    std::string data(4, '\0');  // no string lies at address 0
    data += kQvmPrints + '\n';
    data.push_back('\0');
    pad(data);
    const std::uint32_t frame = 16;
    const std::string instructions[] = {
        '\3' + u32(frame),        // enter
        '\10' + u32(4),           // push the address of the text
        std::string("\41\10"),    // as the first argument
        '\10' + u32(0xffffffff),  // push -1: the first function of the engine, which prints
        "\5",                     // call
        "\7",                     // pop what it returns
        '\10' + u32(0),           // push 0, which vmMain returns
        '\4' + u32(frame),        // leave
        "\6",                     // every function ends with push and leave
        '\4' + u32(frame),
    };
    std::string code;
    for (const std::string& instruction : instructions)
        code += instruction;
    pad(code);
    const std::uint32_t head_bytes = 32;
    const auto code_bytes = static_cast<std::uint32_t>(code.size());
    const auto text_bytes = static_cast<std::uint32_t>(data.size() - 4);
    return u32(0x12721444) + u32(std::size(instructions)) + u32(head_bytes) + u32(code_bytes) +
           u32(head_bytes + code_bytes) + u32(4) + u32(text_bytes) + u32(0x10000) + code + data;
}

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
