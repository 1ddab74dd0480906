// Starts a program, for program_windows.cpp and confined_program_windows.cpp.
#pragma once

#include "system_call_windows.h"

#include <optional>
#include <string>
#include <vector>

namespace fardel {

struct ProgramStart {
    std::string program;                                    // path
    const std::vector<std::string>& arguments;              // the first is the program's name
    const std::vector<std::string>* environment = nullptr;  // NAME=value; nullptr: ours
    std::string folder;                                     // in which it starts; empty: ours
    HANDLE input = nullptr;                                 // the standard streams; nullptr: none
    HANDLE output = nullptr;
    HANDLE errors = nullptr;
    HANDLE job = nullptr;   // the job object that it belongs to; nullptr: ours
    bool is_apart = false;  // without our console, so that a Ctrl-C does not reach it
};

// Returns the handle of the process. It inherits its streams and no other handle. Errors: missing, denied, malformed
// (no program, or a batch file: its interpreter reads the arguments by rules of its own).
Result<Descriptor> start_program(const ProgramStart& start);

// A handle that a program can use as a stream: what we read with overlapped calls is opened once more.
Result<Descriptor> stream_for_program(const Descriptor& file, std::string_view subject);

// An exit code from which Windows shows that the program crashed or was stopped.
constexpr bool is_crash(DWORD code) noexcept { return code >= 0xc000'0000; }

}  // namespace fardel
