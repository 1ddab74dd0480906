// Runs the built program as a user would: with words as arguments, and returns its output.
#pragma once

#include "test.h"

#include <sys/types.h>

namespace fardel::tests {

struct Outcome {
    int exit_code = -1;  // -1: a signal ended it
    int signal = 0;
    std::string out;
    std::string err;
};

struct Surroundings {
    std::string folder;                                          // working folder; empty: that of the test
    std::vector<std::pair<std::string, std::string>> variables;  // set on top of a plain environment
    std::string input_path = "/dev/null";                        // standard input
    std::string output_path;                                     // standard output goes there and not into Outcome
    unsigned user = 0;                                           // run as that user, if the test runs as root
    std::uint64_t file_bytes_max = 0;                            // no file may get larger (RLIMIT_FSIZE); 0: no limit
    bool without_landlock = false;                               // the kernel answers as one that has no Landlock
    unsigned short columns = 0;                                  // of the terminal; 0: it does not say
    std::chrono::minutes patience{5};                            // the test fails if the program runs for longer
};

using Arguments = std::vector<std::string>;

// Runs fardel <arguments>.
Outcome run(const Arguments& arguments, const Surroundings& surroundings = {});
// Returns fardel's standard output; fails the test unless the exit code is 0.
std::string run_well(const Arguments& arguments, const Surroundings& surroundings = {});
// Runs any other program from PATH.
Outcome run_program(const Arguments& words, const Surroundings& surroundings = {});
// Returns the hash that b3sum prints.
std::string b3sum(const std::string& path);
// Runs a line in /bin/sh, where $FARDEL is the program.
Outcome run_shell(const std::string& line, const Surroundings& surroundings = {});

// A program that runs in the background of the test.
class Running {
public:
    explicit Running(const Arguments& arguments, const Surroundings& surroundings = {});
    ~Running();
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    void send(int signal) const;
    std::string output() const;  // standard output so far
    std::string errors() const;  // standard error so far
    Outcome wait();

private:
    pid_t id_ = -1;
    int out_ = -1;
    int err_ = -1;
};

// Runs fardel at a separate terminal, and types each answer after its question is shown. Outcome::out is everything
// that the terminal showed.
Outcome run_at_terminal(const Arguments& arguments,
                        const std::vector<std::pair<std::string, std::string>>& answers = {},
                        const Surroundings& surroundings = {});

// Checks that standard error is one line "fardel: …; … [code]" and standard output is empty, or with --json the error.
bool is_one_clear_line(const Outcome& outcome, std::string_view code);

// Whether a program can run with another clock, through Debian's faketime; says if not.
bool can_move_clock();
// `moved`: "-35d", "+40d". What the program waits for takes as long as ever.
Outcome run_with_moved_clock(const std::string& moved, const Arguments& arguments, Surroundings surroundings);

}  // namespace fardel::tests
