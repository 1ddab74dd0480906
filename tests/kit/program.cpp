#include "program.h"

#include <fardel/base/sanitizers.h>

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pty.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <iterator>
#include <map>

namespace fardel::tests {
namespace {

using Clock = std::chrono::steady_clock;

// Returns the environment of a program: nothing of the tester's environment except the paths of programs and folders.
std::vector<std::string> environment_of(const Surroundings& surroundings) {
    std::map<std::string, std::string> variables{{"LC_ALL", "C.UTF-8"},
                                                 {"HOME", "/dev/null/nobody"},
                                                 {"FARDEL_MACHINE_CONFIG", "/dev/null/nobody"},
                                                 {"FARDEL", FARDEL_PROGRAM}};
    for (const char* name : {"PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS", "TMPDIR"})
        if (const char* value = std::getenv(name))
            variables[name] = value;
    for (const auto& [name, value] : surroundings.variables)
        variables[name] = value;
    std::vector<std::string> lines;
    for (const auto& [name, value] : variables)
        lines.push_back(name + "=" + value);
    return lines;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

// Landlock's system calls, 444 to 446 on every architecture, fail with ENOSYS from now on.
bool hide_landlock() {
    sock_filter program[] = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
                             {BPF_JMP | BPF_JGE | BPF_K, 0, 2, 444},
                             {BPF_JMP | BPF_JGT | BPF_K, 1, 0, 446},
                             {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS},
                             {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
    const sock_fprog filter{.len = std::size(program), .filter = program};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// Runs in the child between fork and exec, so it makes only system calls.
[[noreturn]] void become(char** words, char** environment, const Surroundings& surroundings) {
    if (!surroundings.folder.empty() && ::chdir(surroundings.folder.c_str()) != 0)
        ::_exit(125);
    if (surroundings.file_bytes_max != 0) {
        const rlimit limit{surroundings.file_bytes_max, surroundings.file_bytes_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        ::signal(SIGXFSZ, SIG_IGN);  // write() returns EFBIG instead
    }
    if (surroundings.user != 0 && (::setgid(surroundings.user) != 0 || ::setuid(surroundings.user) != 0))
        ::_exit(125);
    if (surroundings.without_landlock && !hide_landlock())
        ::_exit(125);
    ::execvpe(words[0], words, environment);
    ::_exit(126);
}

// A file in memory, so that no amount of output can block the program.
int open_memory() {
    const int descriptor = ::memfd_create("output", MFD_CLOEXEC);
    REQUIRE(descriptor >= 0);
    return descriptor;
}

std::string text_so_far(int descriptor) {
    std::string text;
    char chunk[65536];
    for (ssize_t count = 0; (count = ::pread(descriptor, chunk, sizeof chunk, static_cast<off_t>(text.size()))) > 0;)
        text.append(chunk, static_cast<std::size_t>(count));
    return text;
}

std::string take_all(int descriptor) {
    std::string text = text_so_far(descriptor);
    ::close(descriptor);
    return text;
}

pid_t start(const Arguments& words, const Surroundings& surroundings, int out, int err) {
    Arguments argument_texts = words;
    std::vector<std::string> environment_texts = environment_of(surroundings);
    const auto arguments = pointers_to(argument_texts);
    const auto environment = pointers_to(environment_texts);
    const int in = ::open(surroundings.input_path.c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(in >= 0);
    const pid_t id = ::fork();
    REQUIRE(id >= 0);
    if (id == 0) {
        ::setsid();  // detaches from the tester's terminal
        ::dup2(in, STDIN_FILENO);
        ::dup2(out, STDOUT_FILENO);
        ::dup2(err, STDERR_FILENO);
        become(const_cast<char**>(arguments.data()), const_cast<char**>(environment.data()), surroundings);
    }
    ::close(in);
    return id;
}

void set_end(int status, Outcome& outcome) {
    outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

int wait_for(pid_t id, std::chrono::minutes patience = Surroundings().patience) {
    const auto deadline = Clock::now() + patience;
    int status = 0;
    for (;;) {
        const pid_t ended = ::waitpid(id, &status, WNOHANG);
        if (ended == id)
            return status;
        if (Clock::now() > deadline) {
            ::kill(id, SIGKILL);
            ::waitpid(id, &status, 0);
            FAIL("the program did not end");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

Arguments with_program(const Arguments& arguments) {
    Arguments words{FARDEL_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
}

// For what runs to its end: AddressSanitizer's search for leaks takes longer than most such programs do, and all that
// they leak ends with them. Programs in the background are searched, and so are the tests of the libraries.
Surroundings not_searched_for_leaks(Surroundings surroundings) {
    if (kAddressSanitizer) {
        const char* options = std::getenv("ASAN_OPTIONS");
        surroundings.variables.emplace_back("ASAN_OPTIONS", std::string(options ? options : "") + ":detect_leaks=0");
    }
    return surroundings;
}

std::string shown(const Arguments& words) {
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : " ") + word;
    return text;
}

}  // namespace

Outcome run_program(const Arguments& words, const Surroundings& surroundings) {
    const int out = surroundings.output_path.empty()
                        ? open_memory()
                        : ::open(surroundings.output_path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    REQUIRE(out >= 0);
    const int err = open_memory();
    const pid_t id = start(words, not_searched_for_leaks(surroundings), out, err);
    Outcome outcome;
    set_end(wait_for(id, surroundings.patience), outcome);
    outcome.out = take_all(out);
    outcome.err = take_all(err);
    return outcome;
}

Outcome run(const Arguments& arguments, const Surroundings& surroundings) {
    return run_program(with_program(arguments), surroundings);
}

std::string run_well(const Arguments& arguments, const Surroundings& surroundings) {
    const Outcome outcome = run(arguments, surroundings);
    constexpr std::size_t shown_bytes = 2000;
    INFO(shown(arguments), "\n", outcome.err, outcome.out.substr(0, shown_bytes));
    REQUIRE(outcome.exit_code == 0);
    return outcome.out;
}

std::string b3sum(const std::string& path) {
    const Outcome outcome = run_program({"b3sum", "--no-names", path});
    REQUIRE_MESSAGE(outcome.exit_code == 0, "setup/install-dependencies installs b3sum");
    return outcome.out.substr(0, 64);
}

Outcome run_shell(const std::string& line, const Surroundings& surroundings) {
    return run_program({"/bin/sh", "-c", line}, surroundings);
}

Running::Running(const Arguments& arguments, const Surroundings& surroundings)
    : out_(open_memory()), err_(open_memory()) {
    id_ = start(with_program(arguments), surroundings, out_, err_);
}

Running::~Running() {
    if (id_ > 0) {
        ::kill(id_, SIGKILL);
        ::waitpid(id_, nullptr, 0);
    }
}

void Running::send(int signal) const { ::kill(id_, signal); }

std::string Running::output() const { return text_so_far(out_); }

std::string Running::errors() const { return text_so_far(err_); }

Outcome Running::wait() {
    Outcome outcome;
    set_end(wait_for(std::exchange(id_, -1)), outcome);
    outcome.out = take_all(out_);
    outcome.err = take_all(err_);
    return outcome;
}

Outcome run_at_terminal(const Arguments& arguments, const std::vector<std::pair<std::string, std::string>>& answers,
                        const Surroundings& surroundings) {
    Arguments argument_texts = with_program(arguments);
    std::vector<std::string> environment_texts = environment_of(surroundings);
    environment_texts.push_back("TERM=xterm");
    const auto words = pointers_to(argument_texts);
    const auto environment = pointers_to(environment_texts);
    int terminal = -1;
    const winsize size{.ws_row = 24, .ws_col = surroundings.columns, .ws_xpixel = 0, .ws_ypixel = 0};
    const pid_t id = ::forkpty(&terminal, nullptr, nullptr, &size);
    REQUIRE(id >= 0);
    if (id == 0)
        become(const_cast<char**>(words.data()), const_cast<char**>(environment.data()), surroundings);

    Outcome outcome;
    std::size_t answered = 0;
    std::size_t seen = 0;
    const auto deadline = Clock::now() + surroundings.patience;
    for (;;) {
        pollfd waiting{terminal, POLLIN, 0};
        char chunk[4096];
        const ssize_t count = ::poll(&waiting, 1, 100) > 0 ? ::read(terminal, chunk, sizeof chunk) : 0;
        if (count < 0 || Clock::now() > deadline)  // EIO: the program is gone
            break;
        outcome.out.append(chunk, static_cast<std::size_t>(count));
        if (answered == answers.size())
            continue;
        const auto asked = outcome.out.find(answers[answered].first, seen);
        if (asked != std::string::npos) {
            seen = asked + answers[answered].first.size();
            const std::string& answer = answers[answered++].second;
            CHECK(::write(terminal, answer.data(), answer.size()) == static_cast<ssize_t>(answer.size()));
        }
    }
    set_end(wait_for(id, surroundings.patience), outcome);
    ::close(terminal);
    return outcome;
}

bool is_one_clear_line(const Outcome& outcome, std::string_view code) {
    const std::string& line = outcome.err;
    const bool is_json = outcome.out.starts_with("{\n  \"error\": \"") &&
                         outcome.out.ends_with("\",\n  \"code\": \"" + std::string(code) + "\"\n}\n") &&
                         std::ranges::count(outcome.out, '\n') == 4;
    return (outcome.out.empty() || is_json) && line.starts_with("fardel: ") &&
           line.ends_with(" [" + std::string(code) + "]\n") && std::ranges::count(line, '\n') == 1;
}

// A library that is loaded before all others takes the place of a sanitizer's.
bool can_move_clock() {
    if (kSanitized)
        MESSAGE("SKIPPED: faketime is loaded before the program, which a sanitizer does not allow");
    return !kSanitized;
}

Outcome run_with_moved_clock(const std::string& moved, const Arguments& arguments, Surroundings surroundings) {
    Arguments words{"faketime", "-f", moved, FARDEL_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    surroundings.variables.emplace_back("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    const Outcome outcome = run_program(words, surroundings);
    REQUIRE_MESSAGE(outcome.exit_code != 126, "setup/install-dependencies installs faketime");
    return outcome;
}

}  // namespace fardel::tests
