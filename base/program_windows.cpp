#include <fardel/base/program.h>

#include "start_program_windows.h"

#include <fardel/base/own_program.h>

#include <algorithm>

namespace fardel {
namespace {

// The current folder is not searched, as it is not elsewhere: whoever can write there would choose the program.
Result<std::string> find_in_path(const std::string& name) {
    std::wstring path(32'768, L'\0');
    path.resize(::GetEnvironmentVariableW(L"PATH", path.data(), static_cast<DWORD>(path.size())));
    std::wstring found(32'768, L'\0');
    found.resize(std::min<std::size_t>(::SearchPathW(path.c_str(), to_utf16(name).c_str(), L".exe",
                                                     static_cast<DWORD>(found.size()), found.data(), nullptr),
                                       found.size()));
    if (path.empty() || found.empty())
        return system_error(ENOENT, name);
    return plain_path(found);
}

Result<std::string> program_path(const std::string& name) {
    if (name.find_first_of("/\\:") == std::string::npos)
        return find_in_path(name);
    const std::string with_extension = name + ".exe";
    return plain_path(long_path(!is_program(name) && is_program(with_extension) ? with_extension : name));
}

HANDLE process_of(SystemNumber id) noexcept { return reinterpret_cast<HANDLE>(id); }

}  // namespace

Result<ChildProgram> ChildProgram::start(const std::vector<std::string>& arguments, const ChildStreams& streams) {
    if (arguments.empty() || arguments[0].empty())
        return Error(ErrorCode::missing, "no program given");
    FARDEL_TRY_ASSIGN(std::string path, program_path(arguments[0]));
    Descriptor input;
    Descriptor output;
    if (streams.input != nullptr) {
        FARDEL_TRY_ASSIGN(input, stream_for_program(*streams.input, arguments[0]));
    }
    if (streams.output != nullptr) {
        FARDEL_TRY_ASSIGN(output, stream_for_program(*streams.output, arguments[0]));
    }
    FARDEL_TRY_ASSIGN(Descriptor process, start_program({.program = std::move(path),
                                                         .arguments = arguments,
                                                         .input = handle_from(input ? input.number() : 0),
                                                         .output = handle_from(output ? output.number() : 1),
                                                         .errors = handle_from(2)}));
    return ChildProgram(process.release());
}

ChildProgram::~ChildProgram() {
    if (id_ < 0)
        return;
    ::TerminateProcess(process_of(id_), 1);
    reap(true);
}

std::optional<ProgramExit> ChildProgram::reap(bool waits) noexcept {
    if (::WaitForSingleObject(process_of(id_), waits ? INFINITE : 0) == WAIT_TIMEOUT)
        return std::nullopt;
    DWORD code = 0;
    ::GetExitCodeProcess(process_of(id_), &code);
    ::CloseHandle(process_of(std::exchange(id_, -1)));
    return ProgramExit{.killed = is_crash(code), .code = static_cast<int>(code)};
}

std::optional<ProgramExit> ChildProgram::wait_until(SteadyTime deadline) {
    ::WaitForSingleObject(process_of(id_), static_cast<DWORD>(milliseconds_until(deadline)));
    return reap(false);
}

ProgramExit ChildProgram::wait() { return *reap(true); }

std::int64_t process_id() noexcept { return ::GetCurrentProcessId(); }
// Windows has no numbers of users; file_status.h has none either.
std::uint32_t user_id() noexcept { return 0; }
std::uint32_t group_id() noexcept { return 0; }

}  // namespace fardel
