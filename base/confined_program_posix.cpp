// Each program runs in two processes: a keeper, which waits for the program and then kills its remaining descendants,
// and the program itself, in a new session. Only the keeper is our child, so its process id stays valid until we reap
// it.

#include <fardel/base/confined_program.h>

#include "program_log.h"
#include "system_call.h"

#include <fardel/base/clock.h>
#include <fardel/base/file.h>
#include <fardel/base/pipe.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fardel {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kNoInput = "/dev/null";
bool has_no_input(const ConfinedCall& call) noexcept { return call.input_file == nullptr && call.input.empty(); }

// Opens a pipe whose read end does not block.
Result<Pipe> open_polled_pipe() {
    FARDEL_TRY_ASSIGN(Pipe pipe, open_pipe());
    FARDEL_TRY(stop_waiting(pipe.read_end, "pipe"));
    return pipe;
}

// A report from one of the children.
struct Report {
    enum Kind : int { failed_to_start, ended };
    int kind;
    int number;  // errno, or the wait status
};

// ---- In the children: no allocation, no locks -----------------------------------------------------------------------

struct ChildPlan {
    const ConfinedCall& call;
    const Sandbox& sandbox;
    char* const* arguments;
    char* const* environment;
    int input;
    int output;
    int errors;
    int report;
    int keeper = -1;  // Sandbox::enter
};

[[noreturn]] void give_up(const ChildPlan& plan, int number) noexcept {
    const Report report{Report::failed_to_start, number};
    (void)!::write(plan.report, &report, sizeof report);
    ::_exit(127);
}

void forget_signals() noexcept {
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    for (int number = 1; number < 65; ++number)
        ::sigaction(number, &usual, nullptr);
}

// Moves the descriptor above the standard numbers, so that no dup2 overwrites one that is still needed.
int raised(const ChildPlan& plan, int descriptor) noexcept {
    const int number = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 64);
    if (number < 0)
        give_up(plan, errno);
    return number;
}

void limit_memory(const ChildPlan& plan, int resource, std::uint64_t bytes_max) noexcept {
    if (bytes_max == 0)
        return;
    rlimit limit{};
    if (::getrlimit(resource, &limit) != 0)
        give_up(plan, errno);
    // The surrounding program may have a lower limit, which cannot be raised.
    limit.rlim_cur = limit.rlim_max = std::min<rlim_t>(limit.rlim_max, bytes_max);
    if (::setrlimit(resource, &limit) != 0)
        give_up(plan, errno);
}

// Replaces the parent's descriptor, through which root could change the mode of the device: the sandbox makes only
// those mounts read-only through which files are opened from then on.
void reopen_empty_input() noexcept {
    const int nothing = ::open(kNoInput, O_RDONLY | O_CLOEXEC);
    if (nothing < 0)  // the rules do not have it
        return;
    ::dup2(nothing, STDIN_FILENO);
    ::close(nothing);
}

[[noreturn]] void become_program(const ChildPlan& given) noexcept {
    ChildPlan plan = given;
    plan.report = raised(given, given.report);
    plan.input = raised(given, given.input);
    plan.output = raised(given, given.output);
    plan.errors = raised(given, given.errors);
    if (given.keeper >= 0)
        plan.keeper = raised(given, given.keeper);
    // A session of its own: a Ctrl-C at the terminal reaches the packer only, which then ends the program in order.
    ::setsid();
    ::umask(022);
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    const rlimit file_size{plan.call.file_bytes_max, plan.call.file_bytes_max};
    ::setrlimit(RLIMIT_FSIZE, &file_size);
    limit_memory(plan, RLIMIT_AS, plan.call.memory_bytes_max);
    limit_memory(plan, RLIMIT_DATA, plan.call.private_bytes_max);
    // The three streams lose their close-on-exec flag by being copied; everything else is closed by exec.
    if (::dup2(plan.input, STDIN_FILENO) < 0 || ::dup2(plan.output, STDOUT_FILENO) < 0 ||
        ::dup2(plan.errors, STDERR_FILENO) < 0)
        give_up(plan, errno);
    // No descriptor of the surrounding program reaches this one. The sandbox opens the one that it leaves open later.
    close_rest_on_exec();
    if (!plan.sandbox.enter(plan.keeper) || ::chdir(plan.call.folder.c_str()) != 0)
        give_up(plan, errno);
    if (has_no_input(plan.call))
        reopen_empty_input();
    // The parent blocked all signals before fork, so that none of its handlers could run in a child.
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execve(plan.call.program.c_str(), plan.arguments, plan.environment);
    give_up(plan, errno);
}

// All signals are blocked. SIGTERM, which we send or which the system sends when we end, ends the program.
int wait_for_program(const Sandbox& sandbox, pid_t program, int requests) noexcept {
    sigset_t awaited;
    ::sigemptyset(&awaited);
    ::sigaddset(&awaited, SIGCHLD);
    ::sigaddset(&awaited, SIGTERM);
    for (;;) {
        int status = 0;
        if (::waitpid(program, &status, WNOHANG) == program)
            return status;
        if (sandbox.wait_for_signal(awaited, requests) == SIGTERM)
            ::kill(program, SIGKILL);
    }
}

[[noreturn]] void become_keeper(ChildPlan plan, pid_t parent) noexcept {
    forget_signals();
    adopt_orphans(parent);
    int ends[2]{-1, -1};
    if (plan.sandbox.may_need_keeper() && ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        give_up(plan, errno);
    plan.keeper = ends[1];
    const pid_t program = ::fork();
    if (program == 0)
        become_program(plan);
    if (program < 0)
        give_up(plan, errno);
    int requests = -1;
    if (plan.keeper >= 0) {
        // The program's own end is closed at the latest when it starts or ends, so this does not wait for long.
        ::close(plan.keeper);
        requests = Sandbox::receive_requests(ends[0]);
        ::close(ends[0]);
    }
    for (const int mine : {plan.input, plan.output, plan.errors})
        ::close(mine);
    const int status = wait_for_program(plan.sandbox, program, requests);
    // A call that waits for an answer fails now.
    if (requests >= 0)
        ::close(requests);
    ::kill(-program, SIGKILL);  // its session's first group; the id is not reused while the group has members
    kill_children();
    const Report report{Report::ended, status};
    (void)!::write(plan.report, &report, sizeof report);
    // Before the rest, which may take long.
    ::close(plan.report);
    ::_exit(0);
}

// ---- In the parent --------------------------------------------------------------------------------------------------

// Keepers that have reported and are ending. Those that have ended are reaped when another one is added.
class EndedKeepers {
public:
    void add(pid_t keeper) {
        const std::scoped_lock lock(mutex_);
        ids_.push_back(keeper);
        std::erase_if(ids_, [](pid_t id) { return ::waitpid(id, nullptr, WNOHANG) != 0; });
    }

private:
    std::mutex mutex_;
    std::vector<pid_t> ids_;
};

EndedKeepers& ended_keepers() {
    static EndedKeepers ended;
    return ended;
}

// A keeper is forked and executes nothing, so it keeps each descriptor that is open then, whatever its flags. With the
// write end of another keeper's pipe, that one would seem to run as long as this one: no two are started at once.
std::mutex& keeper_start() {
    static std::mutex start;
    return start;
}

class Keeper {
public:
    explicit Keeper(const ConfinedCall& call) : call_(call) {}
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;
    ~Keeper() {
        if (id_ <= 0)
            return;
        ::kill(id_, SIGTERM);
        reap();
    }

    Status start(const Sandbox& sandbox) {
        const std::scoped_lock alone(keeper_start());
        for (Pipe* const pipe : {&output_, &errors_, &report_, &wake_}) {
            FARDEL_TRY_ASSIGN(*pipe, open_polled_pipe());
        }
        const std::vector<char*> arguments = pointers_to(call_.arguments);
        const std::vector<char*> environment = pointers_to(call_.environment);
        FARDEL_TRY_ASSIGN(const Descriptor input, open_input());
        const int errors = errors_.write_end.number();
        const int answer = call_.answer_bytes_max == 0 ? errors : output_.write_end.number();
        const ChildPlan plan{.call = call_,
                             .sandbox = sandbox,
                             .arguments = arguments.data(),
                             .environment = environment.data(),
                             .input = input.number(),
                             .output = call_.output_file != nullptr ? call_.output_file->number() : answer,
                             .errors = errors,
                             .report = report_.write_end.number()};
        // A signal that arrived between fork and exec would run a handler of the surrounding program in the child.
        sigset_t all;
        sigset_t before;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before);
        // The keeper compares it, since the parent may end before the keeper asks to be told of that.
        const pid_t parent = ::getpid();
        id_ = ::fork();
        if (id_ == 0)
            become_keeper(plan, parent);
        const int failure = errno;
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
        if (id_ < 0)
            return system_error(failure, "fork");
        // With our copies of the write ends open, the pipes would never end.
        for (Pipe* const pipe : {&output_, &errors_, &report_})
            pipe->write_end.close();
        return ok();
    }

    // Waits until the keeper has closed its report: then the program and all its descendants are gone.
    Result<ConfinedOutcome> wait() {
        const auto deadline = Clock::now() + call_.timeout;
        const std::stop_callback wake(call_.stop, [this] { (void)!::write(wake_.write_end.number(), "", 1); });
        while (report_.read_end) {
            const Descriptor none;
            // Once killed, the keeper ends soon, and a wake-up that stays readable would make this loop spin.
            const Descriptor* const awaited[] = {&report_.read_end, &errors_.read_end, &output_.read_end,
                                                 killed_ ? &none : &wake_.read_end};
            FARDEL_TRY(wait_readable(awaited, killed_ ? std::nullopt : std::optional(deadline)));
            read_output();
            read_report();
            if (call_.stop.stop_requested())
                kill(ConfinedOutcome::Reason::cancelled);
            else if (Clock::now() >= deadline)
                kill(ConfinedOutcome::Reason::timed_out);
            else if (end_.answer.size() > call_.answer_bytes_max)
                kill(ConfinedOutcome::Reason::answered_too_much);
        }
        // What the program wrote last may arrive after its report.
        read_output();
        reap_later();
        return finish();
    }

private:
    Result<Descriptor> open_input() const {
        if (call_.input_file != nullptr)
            return call_.input_file->duplicate("standard input");
        const std::string path = has_no_input(call_) ? kNoInput : call_.input;
        return open_file(path, path, {.waits = true});
    }

    void kill(ConfinedOutcome::Reason reason) {
        if (killed_ || !report_.read_end)
            return;
        killed_ = true;
        end_.reason = reason;
        ::kill(id_, SIGTERM);
    }

    void reap() {
        while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
        }
        id_ = -1;
    }

    // The keeper has closed its report, so what it ran is gone. Its own end may take milliseconds: see
    // leave_mounts_to in sandbox_linux.cpp.
    void reap_later() {
        ended_keepers().add(id_);
        id_ = -1;
    }

    // Reads one piece at a time, so that a program with endless output does not delay the check of the time limit.
    void read_output() {
        std::array<char, 64u << 10> piece;
        for (int round = 0; round < 16; ++round) {
            const ssize_t errors = read_piece(errors_.read_end, piece);
            if (errors > 0)
                log_.add({piece.data(), static_cast<std::size_t>(errors)});
            const ssize_t output = read_piece(output_.read_end, piece);
            if (output > 0 && end_.answer.size() <= call_.answer_bytes_max)
                end_.answer.append(piece.data(), static_cast<std::size_t>(output));
            if (errors <= 0 && output <= 0)
                return;
        }
    }

    static ssize_t read_piece(Descriptor& pipe, std::span<char> piece) {
        if (!pipe)
            return 0;
        const ssize_t count = ::read(pipe.number(), piece.data(), piece.size());
        if (count == 0)
            pipe.close();
        return count;
    }

    void read_report() {
        Report report{};
        ssize_t count;
        while ((count = ::read(report_.read_end.number(), &report, sizeof report)) ==
               sizeof report) {  // a pipe delivers this small report whole
            if (report.kind == Report::failed_to_start)
                start_failure_ = report.number;
            else
                status_ = report.number;
        }
        if (count == 0)
            report_.read_end.close();
    }

    Result<ConfinedOutcome> finish() {
        if (start_failure_)
            return system_error(*start_failure_, call_.program + " cannot be started");
        if (!status_)
            return Error(ErrorCode::io, call_.program + ": the system does not report how it ended");
        end_.log = log_.finish();
        if (killed_)
            return std::move(end_);
        end_.reason = WIFSIGNALED(*status_) ? ConfinedOutcome::Reason::killed : ConfinedOutcome::Reason::exited;
        end_.code = WIFSIGNALED(*status_) ? WTERMSIG(*status_) : WEXITSTATUS(*status_);
        // A program that wrote too much and ended at once was never killed for it.
        if (end_.answer.size() > call_.answer_bytes_max)
            end_.reason = ConfinedOutcome::Reason::answered_too_much;
        return std::move(end_);
    }

    const ConfinedCall& call_;
    Pipe output_;
    Pipe errors_;
    Pipe report_;
    Pipe wake_;
    pid_t id_ = -1;
    bool killed_ = false;
    std::optional<int> start_failure_;
    std::optional<int> status_;
    ProgramLog log_;
    ConfinedOutcome end_;
};

}  // namespace

Result<ConfinedOutcome> run_confined(const ConfinedCall& call, const Sandbox& sandbox) {
    Keeper keeper(call);
    FARDEL_TRY(keeper.start(sandbox));
    return keeper.wait();
}

}  // namespace fardel
