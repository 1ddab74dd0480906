#include "passphrase.h"

#include "question.h"

#include <fardel/base/file.h>
#include <fardel/base/interrupt.h>
#include <fardel/base/invocation.h>
#include <fardel/base/memory.h>
#include <fardel/base/terminal.h>
#include <fardel/format/limits.h>
#include <fardel/format/name.h>

#include <span>

namespace fardel {
namespace {

constexpr const char* kFileVariable = "FARDEL_PASSPHRASE_FILE";

// Reads up to a line end or the end of the file. The text is never moved in memory while it grows.
Result<std::string> read_line(const Descriptor& file, const std::string& subject) {
    std::string line;
    line.reserve(limits::kPassphraseBytesMax + 1);
    for (;;) {
        std::byte byte{};
        const auto count = read_typed_byte(file, byte, subject);
        if (count && (*count == 0 || byte == std::byte{'\n'})) {
            if (line.ends_with('\r'))  // a line end of Windows
                line.pop_back();
            return line;
        }
        if (count && line.size() < limits::kPassphraseBytesMax) {
            line += static_cast<char>(byte);
            continue;
        }
        wipe(line);
        if (!count)
            return count.error();
        return Error(ErrorCode::limit, subject + ": a passphrase has at most " +
                                           std::to_string(limits::kPassphraseBytesMax) +
                                           " bytes; only the first line is read");
    }
}

Result<std::string> read_file(const std::string& path) {
    const std::string subject = std::string(kFileVariable) + ": " + path;
    // The file may be a pipe: FARDEL_PASSPHRASE_FILE=<(pass show game)
    FARDEL_TRY_ASSIGN(const Descriptor file, open_file(path, subject, {.waits = true}));
    FARDEL_TRY_ASSIGN(const FileStatus status, file_status(file, subject));
    if (status.is_file())
        FARDEL_TRY(verify_owner_only(status, subject, "passphrase file"));
    return read_line(file, subject);
}

Result<std::string> ask(const std::string& question) {
    const auto terminal = open_terminal();
    if (!terminal)
        return Error(ErrorCode::unresolved, std::string("there is no terminal to ask for the passphrase; "
                                                        "put it into a file, and name the file in ") +
                                                kFileVariable);
    const Interrupt interrupt;
    const EchoOff echo_off(*terminal);
    const std::string shown = printable(question);
    FARDEL_TRY(write_whole(*terminal, std::as_bytes(std::span(shown)), "terminal"));
    return read_line(*terminal, "passphrase");
}

}  // namespace

PassphraseProvider passphrase_of(const std::string& key_path) {
    return [key_path]() -> Result<std::string> {
        if (const std::string path = passphrase_file(); !path.empty())
            return read_file(path);
        return ask("Passphrase of " + key_path + ": ");
    };
}

std::string passphrase_file() { return variable(kFileVariable); }

Result<std::string> choose_passphrase(const std::string& key_path) {
    if (const std::string path = passphrase_file(); !path.empty())
        return read_file(path);
    FARDEL_TRY_ASSIGN(std::string first, ask("New passphrase for " + key_path + ": "));
    if (first.empty())
        return Error(ErrorCode::malformed,
                     "the passphrase is empty; 'fardel keygen --no-passphrase' creates a key without one");
    Result<std::string> second = ask("Repeat the passphrase: ");
    const bool same = second && *second == first;
    if (second)
        wipe(*second);
    if (same)
        return first;
    wipe(first);
    if (!second)
        return std::move(second).error();
    return Error(ErrorCode::malformed, "the two passphrases differ; nothing was written");
}

void wipe(std::string& secret) noexcept {
    erase_secret(std::as_writable_bytes(std::span(secret)));
    secret.clear();
}

}  // namespace fardel
