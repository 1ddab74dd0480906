// The standard streams and the terminal of this process.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/result.h>

#include <memory>
#include <string_view>

namespace fardel {

enum class StandardStream : int { input = 0, output = 1, errors = 2 };

bool is_terminal(StandardStream stream) noexcept;
// All of `text`; cancelled: the reader is gone, if SIGPIPE does not end the program.
Status write_whole(StandardStream stream, std::string_view text);

// Opens /dev/null for those standard streams that the parent left closed, so that no file of ours gets their numbers.
void occupy_standard_streams() noexcept;
// Writing to a closed pipe becomes an error. Programs that we start get the system's default again.
void survive_closed_pipes() noexcept;

// The terminal that this process belongs to, to be read and written. Errors: as open(2), where there is none.
Result<Descriptor> open_terminal();

// Typed characters are not shown while it lives. Does nothing where `terminal` is none. `terminal` outlives it.
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
