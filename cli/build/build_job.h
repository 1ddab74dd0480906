// What `fardel build` does and `fardel watch` does again and again: a project's bundle, made anew only where something
// has changed.
#pragma once

#include "pack_job.h"

#include <fardel/sources/path_stamp.h>

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

struct BuildJob {
    PackJob pack;
    std::string folder;     // of the fardel.toml; may be empty
    bool checksum = false;  // reads every source
    std::uint64_t verify_per_1000 = 0;
    bool anew = false;  // forgets what earlier builds left
};

// DIR and the options that both verbs have.
void add_build_options(CommandLine& line, BuildJob& job);

// Once. `seen`: what it looked at; when it failed, up to there.
Result<Exit> build_project(BuildJob job, std::stop_token stop, std::vector<SeenPlace>& seen, Console& console);
// The same, until Ctrl-C.
Result<Exit> run_build_job(BuildJob job, Console& console);

}  // namespace fardel
