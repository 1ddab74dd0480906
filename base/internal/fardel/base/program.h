// ChildProgram: another program, started without a shell and with our environment. Confined jobs of a build use
// confined_program.h.
#pragma once

#include <fardel/base/clock.h>
#include <fardel/base/descriptor.h>
#include <fardel/base/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fardel {

// How a program ended.
struct ProgramExit {
    bool killed = false;  // by a signal
    int code = 0;         // exit status, or the number of the signal

    bool is_success() const noexcept { return !killed && code == 0; }
};

struct ChildStreams {
    const Descriptor* input = nullptr;  // nullptr: ours
    const Descriptor* output = nullptr;
};

// A running child; the destructor kills and reaps it if it still runs.
class ChildProgram {
public:
    // `arguments`: the first is the program, searched in PATH if it has no '/'
    // (on Windows: nor '\\' and ':', and ".exe" may be left out). Additional error: missing (no
    // arguments).
    static Result<ChildProgram> start(const std::vector<std::string>& arguments, const ChildStreams& streams = {});
    ChildProgram(ChildProgram&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
    ChildProgram& operator=(ChildProgram&&) = delete;
    ~ChildProgram();

    // Returns nothing if the program still runs at the deadline. Reports success if the surrounding program has reaped
    // the child.
    std::optional<ProgramExit> wait_until(SteadyTime deadline);
    ProgramExit wait();

private:
    explicit ChildProgram(SystemNumber id) noexcept : id_(id) {}
    std::optional<ProgramExit> reap(bool waits) noexcept;

    SystemNumber id_;  // process id, or the handle of the process; -1: reaped
};

// Returns the id of this process.
std::int64_t process_id() noexcept;
std::uint32_t user_id() noexcept;
std::uint32_t group_id() noexcept;

}  // namespace fardel
