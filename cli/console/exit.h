// Exit: the four exit codes of the program, and the only mapping from errors to them.
#pragma once

#include <fardel/base/result.h>

#include <cstdint>
#include <string_view>

namespace fardel {

enum class Exit : std::uint8_t {
    fine = 0,
    refusal = 1,  // findings, or content that is refused
    usage = 2,    // the command line is wrong
    io = 3,       // the system refused: no such file, no permission, disk full, …
};

Exit exit_for(ErrorCode code) noexcept;

// What the user can do about such an error; empty if there is no general advice.
std::string_view advice_for(const Error& error) noexcept;

}  // namespace fardel
