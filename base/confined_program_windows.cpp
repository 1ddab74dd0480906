// A job object holds the program and all that it starts, limits their memory, and ends them with itself. It does not
// limit which files they reach: Windows has no such sandbox for an ordinary program.

#include <fardel/base/confined_program.h>

#include "program_log.h"
#include "start_program_windows.h"

#include <fardel/base/clock.h>
#include <fardel/base/file.h>
#include <fardel/base/pipe.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

constexpr DWORD kBetweenLooksMs = 2;
constexpr UINT kStopped = 1;  // the exit code of what is ended; the outcome has the reason

// Programs do not find the system's own libraries without it.
constexpr std::string_view kSystemRoot = "SystemRoot";

std::vector<std::string> environment_of(const ConfinedCall& call) {
    std::vector<std::string> variables = call.environment;
    const std::string begin = std::string(kSystemRoot) + "=";
    if (std::ranges::none_of(variables, [&](const std::string& one) { return one.starts_with(begin); })) {
        std::wstring value(MAX_PATH, L'\0');
        value.resize(
            ::GetEnvironmentVariableW(to_utf16(kSystemRoot).c_str(), value.data(), static_cast<DWORD>(value.size())));
        variables.push_back(begin + to_utf8(value));
    }
    return variables;
}

Result<Descriptor> make_job(const ConfinedCall& call) {
    Descriptor job = descriptor_from(::CreateJobObjectW(nullptr, nullptr));
    if (!job)
        return last_error(call.program);
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE |
                                              JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION |
                                              JOB_OBJECT_LIMIT_ACTIVE_PROCESS;
    limits.BasicLimitInformation.ActiveProcessLimit = static_cast<DWORD>(kSandboxProcessesMax);
    // What Windows counts is the memory that a process may write to.
    const std::uint64_t bytes_max = call.private_bytes_max != 0 ? call.private_bytes_max : call.memory_bytes_max;
    if (bytes_max != 0) {
        limits.BasicLimitInformation.LimitFlags |= JOB_OBJECT_LIMIT_PROCESS_MEMORY;
        limits.ProcessMemoryLimit = static_cast<SIZE_T>(bytes_max);
    }
    FARDEL_TRY(status_of_call(
        ::SetInformationJobObject(handle_of(job), JobObjectExtendedLimitInformation, &limits, sizeof limits),
        call.program));
    return job;
}

Result<Descriptor> open_input(const ConfinedCall& call) {
    if (call.input_file != nullptr)
        return stream_for_program(*call.input_file, "standard input");
    if (!call.input.empty())
        return nt_open(call.input, call.input, {.access = GENERIC_READ, .options = FILE_NON_DIRECTORY_FILE});
    Descriptor nothing = descriptor_from(
        ::CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr, OPEN_EXISTING, 0, nullptr));
    if (!nothing)
        return last_error("NUL");
    return nothing;
}

class ConfinedRun {
public:
    explicit ConfinedRun(const ConfinedCall& call) : call_(call) {}

    Status start() {
        FARDEL_TRY_ASSIGN(job_, make_job(call_));
        FARDEL_TRY_ASSIGN(output_, open_pipe());
        FARDEL_TRY_ASSIGN(errors_, open_pipe());
        FARDEL_TRY_ASSIGN(const Descriptor input, open_input(call_));
        Descriptor output_file;
        if (call_.output_file != nullptr) {
            FARDEL_TRY_ASSIGN(output_file, stream_for_program(*call_.output_file, "standard output"));
        }
        const HANDLE errors = handle_of(errors_.write_end);
        const HANDLE answer = call_.answer_bytes_max == 0 ? errors : handle_of(output_.write_end);
        const std::vector<std::string> environment = environment_of(call_);
        auto process = start_program({.program = plain_path(long_path(call_.program)),
                                      .arguments = call_.arguments,
                                      .environment = &environment,
                                      .folder = plain_path(long_path(call_.folder)),
                                      .input = handle_of(input),
                                      .output = output_file ? handle_of(output_file) : answer,
                                      .errors = errors,
                                      .job = handle_of(job_),
                                      .is_apart = true});
        if (!process)
            return system_error(process.error().system_number(), call_.program + " cannot be started");
        process_ = *std::move(process);
        // With our copies of the write ends open, the pipes would never end.
        output_.write_end.close();
        errors_.write_end.close();
        return ok();
    }

    Result<ConfinedOutcome> wait() {
        const SteadyTime deadline = SteadyClock::now() + call_.timeout;
        while (::WaitForSingleObject(handle_of(process_), kBetweenLooksMs) == WAIT_TIMEOUT) {
            read_output();
            if (call_.stop.stop_requested())
                kill(ConfinedOutcome::Reason::cancelled);
            else if (SteadyClock::now() >= deadline)
                kill(ConfinedOutcome::Reason::timed_out);
            else if (end_.answer.size() > call_.answer_bytes_max)
                kill(ConfinedOutcome::Reason::answered_too_much);
        }
        DWORD code = 0;
        ::GetExitCodeProcess(handle_of(process_), &code);
        // What it started does not outlive it.
        ::TerminateJobObject(handle_of(job_), kStopped);
        read_output();
        end_.log = log_.finish();
        if (killed_)
            return std::move(end_);
        end_.reason = is_crash(code) ? ConfinedOutcome::Reason::killed : ConfinedOutcome::Reason::exited;
        end_.code = static_cast<int>(code);
        // A program that wrote too much and ended at once was never killed for it.
        if (end_.answer.size() > call_.answer_bytes_max)
            end_.reason = ConfinedOutcome::Reason::answered_too_much;
        return std::move(end_);
    }

private:
    void kill(ConfinedOutcome::Reason reason) {
        if (std::exchange(killed_, true))
            return;
        end_.reason = reason;
        ::TerminateJobObject(handle_of(job_), kStopped);
    }

    // Reads one piece at a time, so that a program with endless output does not delay the check of the time limit.
    void read_output() {
        std::array<char, 64u << 10> piece;
        for (int round = 0; round < 16; ++round) {
            const std::size_t errors = read_piece(errors_.read_end, piece);
            log_.add({piece.data(), errors});
            const std::size_t output = read_piece(output_.read_end, piece);
            if (output > 0 && end_.answer.size() <= call_.answer_bytes_max)
                end_.answer.append(piece.data(), output);
            if (errors == 0 && output == 0)
                return;
        }
    }

    // Returns 0 if nothing waits.
    static std::size_t read_piece(const Descriptor& pipe, std::span<char> piece) {
        DWORD waiting = 0;
        if (!::PeekNamedPipe(handle_of(pipe), nullptr, 0, nullptr, &waiting, nullptr) || waiting == 0)
            return 0;
        const auto count =
            read_some(pipe, std::as_writable_bytes(piece.first(std::min<std::size_t>(piece.size(), waiting))), "pipe");
        return count ? *count : 0;
    }

    const ConfinedCall& call_;
    Pipe output_;
    Pipe errors_;
    Descriptor job_;
    Descriptor process_;
    bool killed_ = false;
    ProgramLog log_;
    ConfinedOutcome end_;
};

}  // namespace

Result<ConfinedOutcome> run_confined(const ConfinedCall& call, const Sandbox&) {
    ConfinedRun run(call);
    FARDEL_TRY(run.start());
    return run.wait();
}

}  // namespace fardel
