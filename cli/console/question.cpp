#include "question.h"

#include <fardel/base/ascii.h>
#include <fardel/base/file.h>
#include <fardel/base/interrupt.h>
#include <fardel/base/pipe.h>
#include <fardel/base/terminal.h>

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <span>

namespace fardel {
namespace {

constexpr std::chrono::milliseconds kInterruptCheckInterval(100);  // how often to check for Ctrl-C
constexpr std::size_t kAnswerBytesMax = 16;

// Nothing at the end of input. Of a longer line, the first bytes are kept.
Result<std::optional<std::string>> read_answer(const Descriptor& terminal) {
    std::string line;
    for (;;) {
        std::byte byte{};
        FARDEL_TRY_ASSIGN(const std::size_t count, read_typed_byte(terminal, byte, "question"));
        if (count == 0)
            return std::optional<std::string>();
        if (byte == std::byte{'\n'})
            return std::optional(std::move(line));
        if (line.size() < kAnswerBytesMax)
            line += static_cast<char>(byte);
    }
}

// The answer in lower case; nothing at the end of input.
Result<std::optional<std::string>> ask_for_word(std::string_view question, Console& console) {
    FARDEL_TRY_ASSIGN(const Descriptor terminal, open_terminal());
    discard_typed(terminal);
    FARDEL_TRY(console.write(question));
    FARDEL_TRY(console.flush());
    auto answer = read_answer(terminal);
    if (!answer || !*answer) {  // the terminal shows no line feed then
        FARDEL_TRY(console.write("\n"));
        FARDEL_TRY(console.flush());
    }
    if (answer && *answer)
        **answer = lower_ascii_text(**answer);
    return answer;
}

}  // namespace

bool can_ask() noexcept { return is_terminal(StandardStream::input) && is_terminal(StandardStream::output); }

Result<bool> ask(std::string_view question, Console& console) {
    FARDEL_TRY_ASSIGN(const auto word, ask_for_word(fmt::format("{} [Y/n] ", question), console));
    return word && (word->empty() || *word == "y" || *word == "yes");
}

Result<bool> ask_carefully(std::string_view question, Console& console) {
    FARDEL_TRY_ASSIGN(const auto word, ask_for_word(fmt::format("{} [y/N] ", question), console));
    return word && (*word == "y" || *word == "yes");
}

Result<std::size_t> read_typed_byte(const Descriptor& file, std::byte& out, const std::string& subject) {
    const Descriptor* const awaited[] = {&file};
    for (;;) {
        FARDEL_TRY_ASSIGN(const bool ready,
                          wait_readable(awaited, std::chrono::steady_clock::now() + kInterruptCheckInterval));
        if (Interrupt::caught() != 0)
            return Error(ErrorCode::cancelled, subject + ": interrupted; nothing was changed");
        if (ready)
            return read_some(file, std::span(&out, 1), subject);
    }
}

}  // namespace fardel
