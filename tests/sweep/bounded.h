// Runs a program, or a function in a process of its own, within bounds on time, memory and output; and judges what
// every run has to keep, whatever it was given.
#pragma once

#include <fardel/base/sanitizers.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fardel::sweep {

// A sanitizer takes so many times the memory and the time.
inline constexpr unsigned kCost = kAddressSanitizer ? 4 : 1;

struct Bounds {
    double processor_s = 10.0 * kCost;  // time of the processor, so that a busy machine does not matter
    double wall_s = 300.0;              // a run that waits for ever
    std::uint64_t memory_bytes = std::uint64_t{kCost} * 512 << 20;
    std::uint64_t output_bytes = 32u << 20;  // of each stream, and of each file that is written in the folder
};

struct Ran {
    std::string what;  // the command, for people
    int status = -1;   // exit status; -1: a signal ended it
    int signal = 0;
    double processor_s = 0;
    double wall_s = 0;
    std::uint64_t memory_bytes = 0;
    std::string out;
    std::string err;
};

struct Surroundings {
    std::filesystem::path folder;     // working folder
    std::filesystem::path temporary;  // TMPDIR
    Bounds bounds;
};

Ran run_program(const std::vector<std::string>& words, const Surroundings& surroundings);
// The function's result is the exit status; what it prints is `out`.
Ran run_function(const std::string& what, const std::function<int()>& function, const Surroundings& surroundings);

// A program in the background; stop() sends SIGTERM if it still runs, and waits.
class Background {
public:
    Background(const std::vector<std::string>& words, const Surroundings& surroundings);
    ~Background();
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;
    bool is_running();
    Ran stop(bool ask);

private:
    struct Body;
    std::unique_ptr<Body> body_;
};

// What is wrong with any run: a signal, a report of a sanitizer, an exit status that is not documented, too much time,
// memory or output, control characters. `raw_output`: standard output is the bytes of an asset.
std::vector<std::string> faults_of(const Ran& ran, const Bounds& bounds, bool raw_output = false);
// The first place in the text that could mislead a terminal; empty if there is none.
std::string find_control(const std::string& text);

}  // namespace fardel::sweep
