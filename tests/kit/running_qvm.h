// The smallest program for the virtual machine of Quake III Arena that can be seen to run: a game module whose vmMain
// prints a line and returns 0. Opcodes, syscall numbers and the header are those of the engine, which runs it in
// cli/trust.
#pragma once

#include <cstdint>
#include <string>

namespace fardel::tests {

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

}  // namespace fardel::tests
