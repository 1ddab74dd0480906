// Exit: the program's four exit codes, and the one place that says which error gives which.
#pragma once

#include <fardel/format/result.h>

#include <cstdint>
#include <string_view>

namespace fardel {

enum class Exit : std::uint8_t {
    fine = 0,
    refusal = 1,  // findings, or content that is refused
    usage = 2,    // the command line makes no sense
    io = 3,       // the machine said no: no such file, no permission, disk full, …
};

Exit exit_for(ErrorCode code) noexcept;

// What a person can do about it; empty when nothing general can be said.
std::string_view advice_for(ErrorCode code) noexcept;

}  // namespace fardel
