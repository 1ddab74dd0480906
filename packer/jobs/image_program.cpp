#include "image_program.h"

#include "job_code.h"
#include "text/in_quotes.h"

#include <fardel/base/confined_program.h>

#include <array>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace fs = std::filesystem;

namespace fardel {
namespace {

constexpr std::string_view kProgramName = "fardel-image";
constexpr std::size_t kImageAnswerBytesMax = 4096;
constexpr std::chrono::seconds kImageTimeMax{300};
constexpr std::uint64_t kImageFileBytesMax = std::uint64_t{1} << 30;  // more than an image of 2^26 pixels needs

// Address and thread sanitizers reserve terabytes of address space.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kImageMemoryBytesMax = 0;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
constexpr std::uint64_t kImageMemoryBytesMax = 0;
#else
constexpr std::uint64_t kImageMemoryBytesMax = std::uint64_t{4} << 30;
#endif
#else
constexpr std::uint64_t kImageMemoryBytesMax = std::uint64_t{4} << 30;
#endif

// Returns the shortest text that parses as the same number.
std::string text_of(double number) {
    std::array<char, 32> text;
    const auto [end, failure] = std::to_chars(text.data(), text.data() + text.size(), number);
    return std::string(text.data(), end);
}

// Libraries may be read wherever they are installed; programs may be started only from the loader's folders.
SandboxRules sandbox_rules(const std::string& program, const std::string& folder) {
    return {.readable = {program, "/lib", "/lib32", "/lib64", "/libx32"},
            .read_write = {"/dev/null", folder},
            .unstartable = {"/usr", "/opt", "/etc/ld.so.cache", "/proc/meminfo", "/sys/devices/system/cpu"}};
}

Result<ConfinedOutcome> run(const std::string& program, std::vector<std::string> arguments, const std::string& folder,
                            const SandboxRules& rules, const std::stop_token& stop) {
    arguments.insert(arguments.begin(), std::string(kProgramName));
    const std::string temporary = folder + "/tmp";
    const ConfinedCall call{
        .program = program,
        .arguments = std::move(arguments),
        .environment = {"HOME=" + temporary, "TMPDIR=" + temporary, "LC_ALL=C", "TZ=UTC0", "OMP_NUM_THREADS=1"},
        .folder = folder,
        .answer_bytes_max = kImageAnswerBytesMax,
        .timeout = kImageTimeMax,
        .memory_bytes_max = kImageMemoryBytesMax,
        .file_bytes_max = kImageFileBytesMax,
        .stop = stop};
    FARDEL_TRY_ASSIGN(const Sandbox sandbox, Sandbox::make(rules));
    return run_confined(call, sandbox);
}

// Converts the program's output into an error.
Error error_of(std::string_view answer, const ConfinedOutcome& end) {
    const std::size_t space = answer.find(' ');
    const std::string_view word = answer.substr(0, space);
    for (const ErrorCode code : {ErrorCode::malformed, ErrorCode::limit, ErrorCode::no_space, ErrorCode::io})
        if (space != std::string_view::npos && word == error_code_name(code))
            return Error(code, printable(answer.substr(space + 1, answer.find('\n') - space - 1)));
    return Error(ErrorCode::unresolved, std::string(kProgramName) + " ended with exit status " +
                                            std::to_string(end.code) + ": " + printable(end.log, 400));
}

Status verify_end(const ConfinedOutcome& end) {
    switch (end.reason) {
        case ConfinedOutcome::Reason::cancelled: return Error(ErrorCode::cancelled, "stopped");
        case ConfinedOutcome::Reason::timed_out:
            return Error(ErrorCode::limit,
                         "the image was not converted after " + std::to_string(kImageTimeMax.count()) + " s");
        case ConfinedOutcome::Reason::answered_too_much:
            return Error(ErrorCode::unresolved, std::string(kProgramName) + " printed too much");
        case ConfinedOutcome::Reason::killed:
            return Error(ErrorCode::unresolved,
                         std::string(kProgramName) + " was killed by signal " + std::to_string(end.code));
        case ConfinedOutcome::Reason::exited: break;
    }
    return end.code == 0 ? ok() : Status(error_of(end.answer, end));
}

}  // namespace

Result<std::string> find_image_program(const std::string& wanted) {
    if (!wanted.empty())
        return is_program(wanted) ? Result<std::string>(wanted)
                                  : Error(ErrorCode::missing, "there is no program " + in_quotes(wanted));
    std::vector<fs::path> folders;
    std::error_code failure;
    if (const fs::path self = fs::read_symlink("/proc/self/exe", failure); !failure) {
        folders.push_back(self.parent_path());
        folders.push_back(self.parent_path().parent_path() / "libexec" / "fardel");
    }
    folders.emplace_back(FARDEL_LIBEXEC_FOLDER);
    for (const fs::path& folder : folders)
        if (const std::string path = (folder / kProgramName).string(); is_program(path))
            return path;
    return Error(ErrorCode::missing, "the built-in 'image' needs the program " + std::string(kProgramName) +
                                         ", which is neither beside the running program nor in " +
                                         FARDEL_LIBEXEC_FOLDER + "; install Fardel's tools");
}

Result<std::string> image_program_version(const std::string& program) {
    FARDEL_TRY_ASSIGN(const ConfinedOutcome end,
                      run(program, {"version"}, "/", sandbox_rules(program, "/dev/null"), {}));
    FARDEL_TRY(verify_end(end));
    return printable(std::string_view(end.answer).substr(0, end.answer.find('\n')));
}

Status run_image_program(const std::string& program, const ImageRequest& request, const JobFolder& folder,
                         const std::stop_token& stop) {
    FARDEL_TRY_ASSIGN(const ConfinedOutcome end,
                      run(program,
                          {"convert", request.in, request.out, std::string(request.from), std::string(request.to),
                           text_of(request.scale), std::to_string(request.width_max.value_or(0)),
                           std::to_string(request.height_max.value_or(0)), std::to_string(request.quality)},
                          folder.path(), sandbox_rules(program, folder.path()), stop));
    return verify_end(end);
}

}  // namespace fardel
