// Runs a program to its end in a sandbox: captures its output, limits its time, and leaves none of its descendants
// behind.
//
// No shell is involved. Any thread; several programs may run at once.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/sandbox.h>

#include <fardel/base/result.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

struct ConfinedCall {
    std::string program;                      // path
    std::vector<std::string> arguments;       // the first is the program's name
    std::vector<std::string> environment;     // NAME=value
    std::string folder;                       // the folder in which it starts
    std::string input;                        // path of the file that becomes its standard input
    const Descriptor* input_file = nullptr;   // becomes its standard input instead; open while the program runs
    const Descriptor* output_file = nullptr;  // becomes its standard output; open while the program runs
    std::size_t answer_bytes_max = 0;  // without output_file; 0: standard output goes to the log, like standard error
    std::chrono::milliseconds timeout{0};
    // Windows counts only the second kind, and takes the first where that is 0; it has no limit for files.
    std::uint64_t memory_bytes_max = 0;   // of the address space of each process; 0: no limit
    std::uint64_t private_bytes_max = 0;  // of the memory that a process may write to and shares with none; 0: no limit
    std::uint64_t file_bytes_max = std::uint64_t{16} << 30;  // of each file that it writes
    std::stop_token stop;
};

struct ConfinedOutcome {
    enum class Reason : unsigned char { exited, killed, timed_out, cancelled, answered_too_much };
    Reason reason = Reason::exited;
    int code = 0;     // exit status, or the number of the signal
    std::string log;  // raw bytes; if there are too many, the middle is replaced by a note
    std::string answer;
};

// The maximum size of the kept output.
inline constexpr std::size_t kLogBytesMax = 64u << 10;

// Errors: missing, denied, malformed, limit (the program could not be started), io.
Result<ConfinedOutcome> run_confined(const ConfinedCall& call, const Sandbox& sandbox);

}  // namespace fardel
