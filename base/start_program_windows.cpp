#include "start_program_windows.h"

#include <fardel/base/ascii.h>

#include <algorithm>
#include <iterator>
#include <memory>

namespace fardel {
namespace {

// As the C library of the program takes it apart: a backslash counts only before a quote.
std::wstring quoted(const std::wstring& argument) {
    if (!argument.empty() && argument.find_first_of(L" \t\n\v\"") == std::wstring::npos)
        return argument;
    std::wstring text = L"\"";
    std::size_t backslashes = 0;
    for (const wchar_t unit : argument) {
        if (unit == L'"')
            text.append(backslashes + 1, L'\\');
        backslashes = unit == L'\\' ? backslashes + 1 : 0;
        text += unit;
    }
    return text.append(backslashes, L'\\') + L'"';
}

std::wstring command_line(const std::vector<std::string>& arguments) {
    std::wstring line;
    for (const std::string& argument : arguments)
        (line += line.empty() ? L"" : L" ") += quoted(to_utf16(argument));
    return line;
}

// The system wants the names in order, without regard to case.
std::wstring environment_block(std::vector<std::string> variables) {
    std::ranges::sort(variables, {}, [](const std::string& variable) {
        return lower_ascii_text(variable.substr(0, variable.find('=')));
    });
    std::wstring block;
    for (const std::string& variable : variables)
        (block += to_utf16(variable)) += L'\0';
    block += L'\0';
    return block;
}

bool is_batch_file(std::string_view path) {
    const std::string lower = lower_ascii_text(path);
    return lower.ends_with(".bat") || lower.ends_with(".cmd");
}

// The list of handles that the program inherits.
class InheritedHandles {
public:
    explicit InheritedHandles(std::vector<HANDLE> handles) : handles_(std::move(handles)) {
        std::erase(handles_, nullptr);
        std::ranges::sort(handles_);
        handles_.erase(std::unique(handles_.begin(), handles_.end()), handles_.end());
        SIZE_T size = 0;
        ::InitializeProcThreadAttributeList(nullptr, 1, 0, &size);
        bytes_.resize(size);
        is_ready_ = ::InitializeProcThreadAttributeList(get(), 1, 0, &size) != 0;
        if (is_ready_ && !handles_.empty())
            ::UpdateProcThreadAttribute(get(), 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles_.data(),
                                        handles_.size() * sizeof(HANDLE), nullptr, nullptr);
    }
    InheritedHandles(const InheritedHandles&) = delete;
    InheritedHandles& operator=(const InheritedHandles&) = delete;
    ~InheritedHandles() {
        if (is_ready_)
            ::DeleteProcThreadAttributeList(get());
    }
    LPPROC_THREAD_ATTRIBUTE_LIST get() noexcept {
        return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(bytes_.data());
    }
    bool is_empty() const noexcept { return handles_.empty(); }

private:
    std::vector<HANDLE> handles_;
    std::vector<std::byte> bytes_;
    bool is_ready_ = false;
};

// A copy that the program inherits; ours does not become inheritable, because another thread may start a program, too.
Result<Descriptor> inheritable(HANDLE stream) {
    HANDLE copy = nullptr;
    if (stream == nullptr || stream == INVALID_HANDLE_VALUE)
        return Descriptor();
    if (!::DuplicateHandle(::GetCurrentProcess(), stream, ::GetCurrentProcess(), &copy, 0, TRUE, DUPLICATE_SAME_ACCESS))
        return last_error("a stream of a program");
    return descriptor_from(copy);
}

HANDLE handle_or_none(const Descriptor& stream) noexcept { return stream ? handle_of(stream) : nullptr; }

}  // namespace

Result<Descriptor> start_program(const ProgramStart& start) {
    if (is_batch_file(start.program))
        return Error(ErrorCode::malformed, start.program + ": a batch file cannot be started; name a program");
    FARDEL_TRY_ASSIGN(const Descriptor input, inheritable(start.input));
    FARDEL_TRY_ASSIGN(const Descriptor output, inheritable(start.output));
    FARDEL_TRY_ASSIGN(const Descriptor errors, inheritable(start.errors));
    InheritedHandles inherited({handle_or_none(input), handle_or_none(output), handle_or_none(errors)});
    STARTUPINFOEXW streams{};
    streams.StartupInfo.cb = sizeof streams;
    streams.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    streams.StartupInfo.hStdInput = handle_or_none(input);
    streams.StartupInfo.hStdOutput = handle_or_none(output);
    streams.StartupInfo.hStdError = handle_or_none(errors);
    streams.lpAttributeList = inherited.get();
    const std::wstring program = to_utf16(start.program);
    std::wstring line = command_line(start.arguments);
    std::wstring environment = start.environment == nullptr ? std::wstring() : environment_block(*start.environment);
    const std::wstring folder = to_utf16(start.folder);
    DWORD flags = EXTENDED_STARTUPINFO_PRESENT | CREATE_UNICODE_ENVIRONMENT;
    flags |= start.is_apart ? CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP : 0;
    flags |= start.job != nullptr ? CREATE_SUSPENDED : 0;  // nothing that it starts may escape the job
    PROCESS_INFORMATION started{};
    if (!::CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, !inherited.is_empty(), flags,
                          start.environment == nullptr ? nullptr : environment.data(),
                          folder.empty() ? nullptr : folder.c_str(), &streams.StartupInfo, &started))
        return last_error(start.program);
    Descriptor process = descriptor_from(started.hProcess);
    const Descriptor thread = descriptor_from(started.hThread);
    if (start.job != nullptr) {
        if (!::AssignProcessToJobObject(start.job, started.hProcess)) {
            const DWORD failure = ::GetLastError();
            ::TerminateProcess(started.hProcess, 1);
            return failure_error(failure, start.program);
        }
        ::ResumeThread(started.hThread);
    }
    return process;
}

Result<Descriptor> stream_for_program(const Descriptor& file, std::string_view subject) {
    if (file.kind() != Descriptor::Kind::overlapped_file)
        return file.duplicate(subject);
    for (const ACCESS_MASK access : {ACCESS_MASK{GENERIC_READ | GENERIC_WRITE}, ACCESS_MASK{GENERIC_READ}})
        if (auto opened = nt_open_again(file, subject, {.access = access}))
            return opened;
    return nt_open_again(file, subject, {.access = GENERIC_WRITE});
}

}  // namespace fardel
