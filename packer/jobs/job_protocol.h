// The request to an external program that speaks JSON, and its answer. docs/processors.md has every field.
//
// Pure; any thread. The answer is hostile: its size is bounded, and its claims are checked against the job's folder.
#pragma once

#include <fardel/base/result.h>
#include <fardel/packer/processor.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {

inline constexpr std::size_t kAnswerBytesMax = 8u << 20;

struct JobAnswer {
    struct Output {
        std::string name;
        std::string path;  // below the folder `out`
    };
    std::vector<Output> outputs;
    bool lists_outputs = false;  // otherwise all files in `out` are outputs
    std::vector<std::string> read;
    std::vector<std::string> missing;
    std::vector<std::pair<std::string, FoundReference>> references;  // output's name and the reference in it
    std::vector<std::string> messages;
};

// Returns one line of JSON.
std::string format_job_request(const ProcessorJob& job);
// Errors: malformed (with the field), limit.
Result<JobAnswer> parse_job_answer(std::string_view text);

}  // namespace fardel
