#include "findings/finding_list.h"

#include "console/output_file.h"

namespace fardel {

void add_finding_options(CommandLine& line, FindingOptions& options) {
    line.text("--sarif", "OUT", options.sarif, "Also write the findings to this file as SARIF 2.1.0, for code hosts");
    line.text("--junit", "OUT", options.junit, "Also write them to this file as JUnit's XML, for build servers");
}

Status write_findings(const FindingOptions& options, const FindingList& list) {
    if (!options.sarif.empty())
        FARDEL_TRY(write_file(options.sarif, format_json(sarif_of(list)) + "\n"));
    if (!options.junit.empty())
        FARDEL_TRY(write_file(options.junit, junit_of(list)));
    return ok();
}

}  // namespace fardel
