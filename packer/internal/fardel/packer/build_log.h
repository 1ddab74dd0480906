// BuildLog: for each job of a build its key, where its result came from, and everything that the key covers.
//
// Two logs say why a job ran again, or why the result that another machine has was not found: compare_build_logs names
// the inputs, parameters and programs that differ. docs/builds.md describes the file, JSON Lines. A file may come from
// another machine: its text is untrusted, and so are the texts of a log that was read.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/packer/build.h>
#include <fardel/packer/key_parts.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// By kind and name, in the order of `after`; what only `before` has comes last.
std::vector<KeyChange> changes_between(const std::vector<KeyPart>& before, const std::vector<KeyPart>& after);

enum class ResultOrigin : std::uint8_t {
    run,       // the job ran
    cache,     // a layer of the cache had its result
    verified,  // the job ran although a layer had its result, to compare them
};

struct LoggedJob {
    // Names the job, in every build of the project and on every machine: its processor, and its first output or, if
    // outputs are known only after it ran, its first source. "compile → maps/dm01.bsp"
    std::string job;
    BuildKey key;  // under which its result is stored
    ResultOrigin origin = ResultOrigin::run;
    std::vector<KeyPart> parts;

    friend bool operator==(const LoggedJob&, const LoggedJob&) = default;
};

struct BuildLog {
    std::string project;          // the bundle's name
    std::vector<LoggedJob> jobs;  // in the order of the project's graph

    friend bool operator==(const BuildLog&, const BuildLog&) = default;
};

inline constexpr std::size_t kBuildLogBytesMax = std::size_t(1) << 30;
inline constexpr std::size_t kBuildLogLineBytesMax = std::size_t(64) << 20;

std::string format_build_log(const BuildLog& log);
// Errors: malformed, unsupported (a later version), limit; the message has the line.
Result<BuildLog> parse_build_log(std::string_view text);
// Errors: missing, denied, io, those of parse_build_log; the message has the path.
Result<BuildLog> read_build_log(const std::string& path);
// Replaces the file in one step. Errors: denied, no_space, io.
Status write_build_log(const std::string& path, const BuildLog& log);

// A job that is in one log only, or for which the logs differ.
struct JobDifference {
    std::string job;
    bool in_first = false;
    bool in_second = false;
    std::vector<KeyChange> changes;  // empty: the keys are equal, and yet it ran in both builds; or it is in one only
};

struct BuildLogComparison {
    std::vector<JobDifference> differences;  // by job
    std::uint64_t equal = 0;                 // jobs with equal keys, of which at most one build ran the job
};

// `of`: only jobs that have a part with this name, that are named so, or whose key begins with these digits (eight or
// more); empty: all. Pure.
BuildLogComparison compare_build_logs(const BuildLog& first, const BuildLog& second, std::string_view of = {});

}  // namespace fardel
