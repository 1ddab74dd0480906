#include "image_program.h"

#include <fardel/base/confined_program.h>
#include <fardel/base/own_program.h>

#include <array>
#include <charconv>
#include <chrono>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::string_view kProgramName = "fardel-image";
constexpr std::size_t kImageAnswerBytesMax = 4096;
constexpr std::chrono::seconds kImageTimeMax{300};
constexpr std::uint64_t kImageFileBytesMax = std::uint64_t{1} << 30;  // more than an image of 2^26 pixels needs

constexpr std::uint64_t kImageMemoryBytesMax = own_program_memory(std::uint64_t{4} << 30);

// Returns the shortest text that parses as the same number.
std::string text_of(double number) {
    std::array<char, 32> text;
    const auto [end, failure] = std::to_chars(text.data(), text.data() + text.size(), number);
    return std::string(text.data(), end);
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
    return find_own_program(kProgramName, wanted, FARDEL_LIBEXEC_FOLDER, "the built-in 'image'");
}

Result<std::string> image_program_version(const std::string& program) {
    FARDEL_TRY_ASSIGN(const ConfinedOutcome end, run(program, {"version"}, "/", own_program_rules(program, ""), {}));
    FARDEL_TRY(verify_end(end));
    return printable(std::string_view(end.answer).substr(0, end.answer.find('\n')));
}

Status run_image_program(const std::string& program, const ImageRequest& request, const JobFolder& folder,
                         const std::stop_token& stop) {
    FARDEL_TRY_ASSIGN(const ConfinedOutcome end,
                      run(program,
                          {"convert", request.in, request.out, std::string(request.from), std::string(request.to),
                           text_of(request.scale), std::to_string(request.width_max),
                           std::to_string(request.height_max), std::to_string(request.quality)},
                          folder.path(), own_program_rules(program, folder.path()), stop));
    return verify_end(end);
}

}  // namespace fardel
