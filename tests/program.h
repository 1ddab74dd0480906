// Runs the built program as a person would: words in, and what comes out.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel::tests {

struct Outcome {
    int exit_code = -1;  // -1: a signal ended it
    int signal = 0;
    std::string out;
    std::string err;
};

struct Surroundings {
    std::string folder;                                          // to be in; empty: ours
    std::vector<std::pair<std::string, std::string>> variables;  // set on top of a plain environment
    std::string input_path = "/dev/null";                        // standard input
    std::string output_path;                                     // standard output goes there and not into Outcome
    unsigned user = 0;                                           // run as that user, when we are root
    std::uint64_t file_bytes_max = 0;                            // no file may get larger (RLIMIT_FSIZE); 0: no limit
};

using Arguments = std::vector<std::string>;

// fardel <arguments>. Ends the test when it does not end within two minutes.
Outcome run(const Arguments& arguments, const Surroundings& surroundings = {});
// Its standard output; fails the test unless it ends with 0.
std::string run_well(const Arguments& arguments, const Surroundings& surroundings = {});
// Any other program, found in PATH.
Outcome run_program(const Arguments& words, const Surroundings& surroundings = {});
// A line for /bin/sh, where $FARDEL is the program.
Outcome run_shell(const std::string& line, const Surroundings& surroundings = {});

// One that runs beside the test.
class Running {
public:
    explicit Running(const Arguments& arguments, const Surroundings& surroundings = {});
    ~Running();
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    void send(int signal) const;
    Outcome wait();

private:
    pid_t id_ = -1;
    int out_ = -1;
    int err_ = -1;
};

// At a terminal of its own: types each answer when its question has been shown. Outcome::out is all that the terminal
// showed.
Outcome run_at_terminal(const Arguments& arguments,
                        const std::vector<std::pair<std::string, std::string>>& answers = {},
                        const Surroundings& surroundings = {});

// The parts of an error line: "fardel: …; … [code]", one line, nothing on standard output.
bool is_one_clear_line(const Outcome& outcome, std::string_view code);

}  // namespace fardel::tests
