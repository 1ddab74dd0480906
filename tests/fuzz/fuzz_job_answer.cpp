// An answer is refused, or it obeys the rules in job_protocol.h.
#include "require.h"

#include "jobs/job_protocol.h"

#include <cstdint>

using namespace fardel;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto answer = parse_job_answer({reinterpret_cast<const char*>(data), size});
    if (!answer)
        return 0;
    require(answer->lists_outputs || answer->outputs.empty());
    for (const JobAnswer::Output& output : answer->outputs)
        require(!output.path.empty() && !output.name.empty() && output.path.find('\0') == std::string::npos);
    for (const auto& reference : answer->references)
        require(!reference.first.empty() && !reference.second.spelling.empty() &&
                reference.second.spelling.find('\0') == std::string::npos);
    return 0;
}
