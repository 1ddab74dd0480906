#include "bounded.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>

namespace fardel::sweep {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kNotStarted = 126;

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

[[noreturn]] void fail_at_start(const char* what) {
    std::fprintf(stderr, "sweep: %s: %s\n", what, std::strerror(errno));
    std::exit(3);
}

int memory_file() {
    const int descriptor = ::memfd_create("output", MFD_CLOEXEC);
    if (descriptor < 0)
        fail_at_start("memfd_create");
    return descriptor;
}

std::string take_all(int descriptor, std::uint64_t bytes_max) {
    std::string text;
    char chunk[65536];
    for (ssize_t count; text.size() <= bytes_max &&
                        (count = ::pread(descriptor, chunk, sizeof chunk, static_cast<off_t>(text.size()))) > 0;)
        text.append(chunk, static_cast<std::size_t>(count));
    ::close(descriptor);
    return text;
}

void set_limit(int what, std::uint64_t value) {
    const rlimit limit{value, value};
    ::setrlimit(static_cast<decltype(RLIMIT_CPU)>(what), &limit);
}

// In the child. Twice the bounds are enforced; above the bounds themselves a run is reported.
void confine(const Surroundings& surroundings, int out, int err) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    ::setpgid(0, 0);
    const int in = ::open("/dev/null", O_RDONLY);
    ::dup2(in, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    if (::chdir(surroundings.folder.c_str()) != 0)
        ::_exit(125);
    const Bounds& bounds = surroundings.bounds;
    set_limit(RLIMIT_CORE, 0);
    set_limit(RLIMIT_CPU, static_cast<std::uint64_t>(2 * bounds.processor_s) + 1);
    set_limit(RLIMIT_FSIZE, 4 * bounds.output_bytes);
    if (!kAddressSanitizer)
        set_limit(RLIMIT_AS, 8 * bounds.memory_bytes + (std::uint64_t{8} << 30));
}

std::vector<std::string> environment_of(const Surroundings& surroundings) {
    std::vector<std::string> lines{"LC_ALL=C.UTF-8", "HOME=/dev/null/nobody",
                                   "TMPDIR=" + surroundings.temporary.string()};
    if (const char* path = std::getenv("PATH"))
        lines.push_back("PATH=" + std::string(path));
    lines.push_back(
        "ASAN_OPTIONS=abort_on_error=1:allocator_may_return_null=0:intercept_tls_get_addr=0:hard_rss_limit_mb=" +
        std::to_string(surroundings.bounds.memory_bytes >> 19));
    lines.push_back("UBSAN_OPTIONS=print_stacktrace=1:abort_on_error=1");
    return lines;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : " ") + word;
    return text;
}

// A started child and the files of its output.
struct Child {
    pid_t id = -1;
    int out = -1;
    int err = -1;
    Clock::time_point start = Clock::now();
    Ran ran;

    // Returns whether it has ended; then `ran` says how.
    bool reap(int options) {
        int status = 0;
        rusage usage{};
        pid_t ended = 0;
        do
            ended = ::wait4(id, &status, options, &usage);
        while (ended < 0 && errno == EINTR);
        if (ended != id)
            return false;
        ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        ran.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        ran.processor_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
        ran.wall_s = std::chrono::duration<double>(Clock::now() - start).count();
        ran.memory_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) << 10;
        ::kill(-id, SIGKILL);  // what it has left running
        id = -1;
        return true;
    }

    void wait(double wall_s) {
        const auto deadline = start + std::chrono::duration<double>(wall_s);
        for (auto pause = std::chrono::microseconds(200); !reap(WNOHANG);) {
            if (Clock::now() > deadline) {
                ::kill(-id, SIGKILL);
                ::kill(id, SIGKILL);
                reap(0);
                return;
            }
            std::this_thread::sleep_for(pause);
            pause = std::min(pause * 2, std::chrono::microseconds(10'000));
        }
    }

    Ran finish(const Bounds& bounds) {
        ran.out = take_all(out, bounds.output_bytes);
        ran.err = take_all(err, bounds.output_bytes);
        return std::move(ran);
    }
};

Child start_program(const std::vector<std::string>& words, const Surroundings& surroundings) {
    Child child{.out = memory_file(), .err = memory_file()};
    child.ran.what = joined(words);
    std::vector<std::string> argument_texts = words;
    std::vector<std::string> environment_texts = environment_of(surroundings);
    const auto arguments = pointers_to(argument_texts);
    const auto environment = pointers_to(environment_texts);
    std::fflush(stdout);
    // With vfork semantics ru_maxrss would be the sweep's own; a plain fork has the same flaw, so the sweep stays
    // small.
    child.id = ::fork();
    if (child.id < 0)
        fail_at_start("fork");
    if (child.id == 0) {
        confine(surroundings, child.out, child.err);
        ::execvpe(arguments[0], arguments.data(), environment.data());
        ::_exit(kNotStarted);
    }
    return child;
}

}  // namespace

Ran run_program(const std::vector<std::string>& words, const Surroundings& surroundings) {
    Child child = start_program(words, surroundings);
    child.wait(surroundings.bounds.wall_s);
    if (child.ran.status == kNotStarted) {
        std::fprintf(stderr, "sweep: %s cannot be started; was it built again during the sweep?\n", words[0].c_str());
        std::exit(3);
    }
    return child.finish(surroundings.bounds);
}

Ran run_function(const std::string& what, const std::function<int()>& function, const Surroundings& surroundings) {
    Child child{.out = memory_file(), .err = memory_file()};
    child.ran.what = what;
    std::fflush(stdout);
    std::fflush(stderr);
    child.id = ::fork();
    if (child.id < 0)
        fail_at_start("fork");
    if (child.id == 0) {
        confine(surroundings, child.out, child.err);
        ::setenv("TMPDIR", surroundings.temporary.c_str(), 1);
        const int status = function();
        std::fflush(stdout);
        std::fflush(stderr);
        ::_exit(status);
    }
    child.wait(surroundings.bounds.wall_s);
    return child.finish(surroundings.bounds);
}

struct Background::Body {
    Child child;
    Bounds bounds;
    bool ended = false;
};

Background::Background(const std::vector<std::string>& words, const Surroundings& surroundings)
    : body_(new Body{.child = start_program(words, surroundings), .bounds = surroundings.bounds}) {}

Background::~Background() {
    if (!body_->ended)
        (void)stop(true);
}

bool Background::is_running() {
    body_->ended = body_->ended || body_->child.reap(WNOHANG);
    return !body_->ended;
}

Ran Background::stop(bool ask) {
    if (is_running()) {
        if (ask)
            ::kill(body_->child.id, SIGTERM);
        body_->child.wait(std::chrono::duration<double>(Clock::now() - body_->child.start).count() + 30);
        body_->ended = true;
    }
    return body_->child.finish(body_->bounds);
}

std::string find_control(const std::string& text) {
    const auto shown = [&](std::size_t at, const char* what) {
        const std::size_t line = text.rfind('\n', at);
        const std::size_t from = line == std::string::npos ? 0 : line + 1;
        return std::string(what) + " after \"" + text.substr(from, std::min<std::size_t>(at - from, 80)) + "\"";
    };
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f)
            return shown(at, "a control character");
        const std::string_view rest = std::string_view(text).substr(at, 3);
        if (byte == 0xc2 && rest.size() > 1 && static_cast<unsigned char>(rest[1]) < 0xa0 &&
            static_cast<unsigned char>(rest[1]) >= 0x80)
            return shown(at, "a C1 control character");
        if (rest == "\xe2\x80\xae" || rest == "\xe2\x80\xad" || rest == "\xe2\x80\x8b" || rest == "\xe2\x81\xa6")
            return shown(at, "an invisible character");
    }
    return {};
}

std::vector<std::string> faults_of(const Ran& ran, const Bounds& bounds, bool raw_output) {
    std::vector<std::string> faults;
    const auto tail = [](const std::string& text) {
        return text.substr(text.size() - std::min<std::size_t>(text.size(), 3000));
    };
    if (ran.signal != 0)
        faults.push_back("ended by signal " + std::to_string(ran.signal) + "\n" + tail(ran.err));
    else if (ran.status < 0 || ran.status > 3)
        faults.push_back("exit status " + std::to_string(ran.status) + "\n" + tail(ran.err));
    for (const char* report : {"AddressSanitizer", "LeakSanitizer", "runtime error: ", "Assertion"})
        if (ran.err.find(report) != std::string::npos && ran.signal == 0)
            faults.push_back("a sanitizer reports: " + tail(ran.err));
    if (ran.processor_s > bounds.processor_s)
        faults.push_back("took " + std::to_string(ran.processor_s) + " s of the processor");
    if (ran.wall_s > bounds.wall_s)
        faults.push_back("did not end after " + std::to_string(ran.wall_s) + " s");
    if (ran.memory_bytes > bounds.memory_bytes)
        faults.push_back("took " + std::to_string(ran.memory_bytes >> 20) + " MiB of memory");
    if (ran.out.size() > bounds.output_bytes || ran.err.size() > bounds.output_bytes)
        faults.push_back("wrote too much");
    if (const std::string control = find_control(ran.err); !control.empty())
        faults.push_back("standard error has " + control);
    if (const std::string control = raw_output ? "" : find_control(ran.out); !control.empty())
        faults.push_back("standard output has " + control);
    return faults;
}

}  // namespace fardel::sweep
