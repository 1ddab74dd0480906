// A job of the queue from its look-up in the cache to its outcome.
#pragma once

#include "job_runs.h"
#include "jobs/job_code.h"
#include "jobs/job_record.h"

#include <fardel/format/ids.h>
#include <fardel/packer/build_log.h>
#include <fardel/packer/job_graph.h>
#include <fardel/packer/job_run.h>
#include <fardel/packer/key_parts.h>
#include <fardel/sources/observed_path.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fardel {

// One job that has run, or whose result was in the cache.
struct JobOutcome {
    JobResult result;
    std::vector<std::string> content_types;  // one per output
    std::vector<ObservedPath> seen;
    BuildKey key;                // under which the result is stored
    std::vector<KeyPart> parts;  // of the key
    ResultOrigin origin = ResultOrigin::run;
    bool different = false;
};

// What a layer's notes say about one job; a layer is asked at most once.
struct FoundNotes {
    std::vector<std::optional<FoundStates>> layers;
    std::set<BuildKey> tried;
};

// The program of a processor, as it was when the queue first needed it.
struct ProcessorCode {
    std::vector<ObservedPath> seen;
    JobCode content;
};

// A job that has to run.
struct DueJob {
    ProcessorJob job;
    ProcessorIndex processor{};
    const ProcessorCode* code = nullptr;
    BuildKey key;
    FoundNotes notes;
    std::optional<JobOutcome> cached;        // with which the outcome is to be compared
    std::vector<ObservedPath> found_before;  // see JobRun
    std::shared_ptr<JobRun> run;             // once it runs
    bool taken_over = false;                 // an earlier build began the run
};

}  // namespace fardel
