// The standard streams and the terminal of this process.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/result.h>

#include <memory>
#include <string_view>

namespace fardel {

enum class StandardStream : int { input = 0, output = 1, errors = 2 };

bool is_terminal(StandardStream stream) noexcept;
// Whether it is one that takes colours and cursor movements as escape sequences.
bool shows_escapes(StandardStream stream) noexcept;
// How many characters a line of the terminal has; 80 if the stream is no terminal, or does not say.
unsigned columns_of(StandardStream stream) noexcept;
// Writes all of `text`. Error: cancelled (the reader is gone), if SIGPIPE does not end the program.
Status write_whole(StandardStream stream, std::string_view text);

// Opens /dev/null for standard streams that the parent left closed, so that none of our files gets their numbers.
void occupy_standard_streams() noexcept;
// Turns SIGPIPE into an error of the write. Programs that we start get the system's default again.
void survive_closed_pipes() noexcept;

// Opens the controlling terminal for reading and writing. Errors: those of open(2) if there is none.
Result<Descriptor> open_terminal();
// Drops what was typed and not read yet.
void discard_typed(const Descriptor& terminal) noexcept;

// While it exists, typed characters are not shown. Does nothing if `terminal` is not a terminal. `terminal` must
// outlive it.
class EchoOff {
public:
    explicit EchoOff(const Descriptor& terminal);
    ~EchoOff();
    EchoOff(const EchoOff&) = delete;
    EchoOff& operator=(const EchoOff&) = delete;

private:
    struct Settings;
    const Descriptor& terminal_;
    std::unique_ptr<Settings> before_;  // nullptr: nothing was changed
};

}  // namespace fardel
