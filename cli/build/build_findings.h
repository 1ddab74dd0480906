// What is wrong with a project or with sources, as findings for other programs.
#pragma once

#include "findings/finding_list.h"

#include <fardel/format/statement.h>
#include <fardel/packer/build.h>
#include <fardel/packer/resolve.h>

#include <string>
#include <utility>
#include <vector>

namespace fardel {

// `sources`: folders and archives, of which later ones win. Findings are located by the file that has a name.
FindingList findings_of_build(const std::vector<BuildOutcome>& outcomes, const std::vector<std::string>& sources);

// `expired`: names of assets whose own date has passed, and that date.
FindingList findings_of_audit(const ReferenceAudit& audit, const ScanReport& left_out,
                              const std::vector<std::pair<std::string, std::string>>& expired,
                              const std::vector<std::string>& sources);

}  // namespace fardel
