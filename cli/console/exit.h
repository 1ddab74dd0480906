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

// Whether the error says that there is no file or folder `path`.
bool is_missing_file(const Error& error, std::string_view path) noexcept;

// "message; advice": what the user can do about an error, said by the place that knows its cause. An error code alone
// says too little: general advice would often be false.
Error with_advice(Error error, std::string_view advice);

}  // namespace fardel
