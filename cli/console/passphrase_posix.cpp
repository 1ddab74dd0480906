#include "passphrase.h"

#include "descriptor.h"
#include "interrupt.h"

#include <fardel/format/limits.h>
#include <fardel/format/name.h>

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

namespace fardel {
namespace {

constexpr const char* kFileVariable = "FARDEL_PASSPHRASE_FILE";
constexpr int kInterruptCheckMilliseconds = 100;  // how often to check for Ctrl-C

// Like ::read, but EINTR only means that the user pressed Ctrl-C.
ssize_t read_byte(int descriptor, char& byte) {
    for (;;) {
        pollfd waiting{descriptor, POLLIN, 0};
        const int ready = ::poll(&waiting, 1, kInterruptCheckMilliseconds);
        if (Interrupt::caught() != 0) {
            errno = EINTR;
            return -1;
        }
        if (ready == 0 || (ready < 0 && errno == EINTR))
            continue;
        const ssize_t count = ::read(descriptor, &byte, 1);
        if (count >= 0 || errno != EINTR)
            return count;
    }
}

// Reads up to a line feed or the end of the file. The text is never moved in memory while it grows.
Result<std::string> read_line(int descriptor, const std::string& what) {
    std::string line;
    line.reserve(limits::kPassphraseBytesMax + 1);
    for (;;) {
        char byte = 0;
        const ssize_t count = read_byte(descriptor, byte);
        if (count == 1 && byte != '\n' && line.size() < limits::kPassphraseBytesMax) {
            line += byte;
            continue;
        }
        if (count == 0 || byte == '\n')
            return line;
        wipe(line);
        if (count > 0)
            return Error(ErrorCode::limit, what + ": a passphrase has at most " +
                                               std::to_string(limits::kPassphraseBytesMax) +
                                               " bytes; only the first line is read");
        if (errno == EINTR)
            return Error(ErrorCode::cancelled, what + ": interrupted; nothing was changed");
        return system_error(errno, what);
    }
}

Result<std::string> read_file(const std::string& path) {
    const Descriptor file(::open(
        path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));  // may be a pipe: FARDEL_PASSPHRASE_FILE=<(pass show game)
    const std::string what = std::string(kFileVariable) + ": " + path;
    if (!file)
        return system_error(errno, what);
    FARDEL_TRY_ASSIGN(std::string line, read_line(file.number(), what));
    if (!line.empty() && line.back() == '\r')  // written on Windows
        line.pop_back();
    return line;
}

// Typed characters are not shown while an object lives.
class QuietTerminal {
public:
    explicit QuietTerminal(int descriptor) : descriptor_(descriptor) {
        muted_ = ::tcgetattr(descriptor_, &before_) == 0;
        termios quiet = before_;
        quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        quiet.c_lflag |= ECHONL | ICANON;
        muted_ = muted_ && ::tcsetattr(descriptor_, TCSAFLUSH, &quiet) == 0;
    }
    ~QuietTerminal() {
        if (muted_)
            ::tcsetattr(descriptor_, TCSAFLUSH, &before_);
    }
    QuietTerminal(const QuietTerminal&) = delete;
    QuietTerminal& operator=(const QuietTerminal&) = delete;

private:
    int descriptor_;
    termios before_{};
    bool muted_ = false;
};

Result<std::string> ask(const std::string& question) {
    const Descriptor terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
    if (!terminal)
        return Error(
            ErrorCode::unresolved,
            std::string("there is no terminal to ask for the passphrase; put it into a file, and name the file in ") +
                kFileVariable);
    const Interrupt interrupt;
    const QuietTerminal quiet(terminal.number());
    const std::string shown = printable(question);
    if (::write(terminal.number(), shown.data(), shown.size()) < 0)
        return system_error(errno, "terminal");
    return read_line(terminal.number(), "passphrase");
}

const char* named_file() { return std::getenv(kFileVariable); }

}  // namespace

PassphraseProvider passphrase_of(const std::string& key_path) {
    return [key_path]() -> Result<std::string> {
        if (const char* const path = named_file())
            return read_file(path);
        return ask("Passphrase of " + key_path + ": ");
    };
}

Result<std::string> choose_passphrase(const std::string& key_path) {
    if (const char* const path = named_file())
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
    ::explicit_bzero(secret.data(), secret.size());
    secret.clear();
}

}  // namespace fardel
