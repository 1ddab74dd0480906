// --license and --metadata: what a bundle that is packed states about itself.
#pragma once

#include "console/command_line.h"

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>

#include <string>
#include <vector>

namespace fardel {

struct MetadataOptions {
    std::string license;
    std::vector<std::string> entries;  // "key=value"
};
void add_metadata_options(CommandLine& line, MetadataOptions& options);

// Under the keys that are stored, each once. Error: malformed (the message begins with the option).
Result<std::vector<PlannedMetadata>> parse_metadata(const MetadataOptions& options);

}  // namespace fardel
