// A project that is built again from its sources, and compared with what a provenance says and with the bundles that it
// is about: for `fardel verify --rebuild`.
#pragma once

#include "console/console.h"
#include "verify/verify_outcome.h"

#include <fardel/packer/provenance.h>

#include <cstdint>
#include <stop_token>
#include <string>

namespace fardel {

struct RebuildOptions {
    std::string project;     // its folder, which stays as it is
    std::uint64_t jobs = 0;  // threads; 0: one per core
    // Of 100 jobs, how many are run although a cache of the project has their result; 100: no cache is used.
    std::uint64_t share = 100;
    std::uint64_t seed = 0;  // chooses which; 0: the ids of the bundles do
    std::stop_token stop;
};

// Builds every target that the claim names, into a temporary folder, and adds to the outcome of files, which has a
// provenance, what is the same and findings about what is not. The programs of the project run as in a build. Errors:
// those of a build.
Status add_rebuild(VerifyOutcome& outcome, const ProvenanceClaim& claim, const RebuildOptions& options,
                   Console& console);

}  // namespace fardel
