#include <fardel/base/pipe.h>

#include "no_files.h"

namespace fardel {

Result<Pipe> open_pipe() { return no_files("pipe"); }
Status stop_waiting(const Descriptor&, std::string_view subject) { return no_files(subject); }
Result<bool> wait_readable(std::span<const Descriptor* const>, std::optional<SteadyTime>) { return no_files("poll"); }

}  // namespace fardel
