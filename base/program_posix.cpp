#include <fardel/base/program.h>

#include "system_call.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

extern char** environ;

namespace fardel {
namespace {

// The system reports a child's end only by a signal, whose handler belongs to the surrounding program; so we poll.
constexpr auto kBetweenLooks = std::chrono::milliseconds(2);

ProgramExit exit_of(int status) noexcept {
    if (WIFSIGNALED(status))
        return {.killed = true, .code = WTERMSIG(status)};
    return {.killed = false, .code = WEXITSTATUS(status)};
}

}  // namespace

Result<ChildProgram> ChildProgram::start(const std::vector<std::string>& arguments, const ChildStreams& streams) {
    if (arguments.empty() || arguments[0].empty())
        return Error(ErrorCode::missing, "no program given");
    const std::vector<char*> words = pointers_to(arguments);

    // posix_spawn, not fork: the surrounding program may have threads that hold locks.
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (streams.input != nullptr)
        posix_spawn_file_actions_adddup2(&actions, streams.input->number(), STDIN_FILENO);
    if (streams.output != nullptr)
        posix_spawn_file_actions_adddup2(&actions, streams.output->number(), STDOUT_FILENO);
    pid_t id = -1;
    const int failure = ::posix_spawnp(&id, words[0], &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0)
        return system_error(failure, arguments[0]);
    return ChildProgram(id);
}

ChildProgram::~ChildProgram() {
    if (id_ <= 0)
        return;
    ::kill(id_, SIGKILL);
    reap(true);
}

std::optional<ProgramExit> ChildProgram::reap(bool waits) noexcept {
    int status = 0;
    const pid_t ended = repeat([&] { return ::waitpid(id_, &status, waits ? 0 : WNOHANG); });
    if (ended == 0)
        return std::nullopt;
    id_ = -1;  // below 0: ECHILD, other code has reaped it
    return exit_of(ended < 0 ? 0 : status);
}

std::optional<ProgramExit> ChildProgram::wait_until(SteadyTime deadline) {
    for (;;) {
        if (const auto ended = reap(false))
            return ended;
        if (std::chrono::steady_clock::now() >= deadline)
            return std::nullopt;
        std::this_thread::sleep_for(kBetweenLooks);
    }
}

ProgramExit ChildProgram::wait() { return *reap(true); }

std::int64_t process_id() noexcept { return ::getpid(); }
std::uint32_t user_id() noexcept { return ::getuid(); }
std::uint32_t group_id() noexcept { return ::getgid(); }

}  // namespace fardel
